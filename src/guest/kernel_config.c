// SPDX-License-Identifier: GPL-2.0-only
/* Completes the kernel's configuration from the running kernel. */
#include "guest/parts.h"

#include <sys/utsname.h>

#include "guest/protocol.h"

#define NSEC_PER_S 1000000000L
#define KERNEL_MAX "/sys/devices/system/cpu/kernel_max"

static bool has_option(const struct str *text, const char *option)
{
	const char *at = str_get(text);
	size_t len = strlen(option);

	for (; (at = strstr(at, option)); at += len)
		if ((at == text->s || at[-1] == '\n') && at[len] == '=')
			return true;
	return false;
}

/* TICK_NSEC is rounded: 300 ticks per second are 3333333 ns each. */
static void add_hz(struct str *text)
{
	struct timespec tick;

	if (has_option(text, "CONFIG_HZ") || clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 ||
	    tick.tv_sec || !tick.tv_nsec)
		return;
	str_addf(text, "CONFIG_HZ=%ld\n", (NSEC_PER_S + tick.tv_nsec / 2) / tick.tv_nsec);
}

static void add_nr_cpus(struct str *text, const char *root)
{
	_free_ char *path = str_fmt("%s" KERNEL_MAX, root);
	_str_ struct str line = {};
	uint64_t largest;

	if (has_option(text, "CONFIG_NR_CPUS") || !path || file_read_at(AT_FDCWD, path, &line) < 0)
		return;
	str_trim_end(&line);
	if (parse_u64(str_get(&line), &largest) == 0 && largest < UINT32_MAX)
		str_addf(text, "CONFIG_NR_CPUS=%llu\n", ULL(largest) + 1);
}

/* Appends what the text lacks and the running kernel provides. */
static void complete(struct str *text, const char *root)
{
	add_hz(text);
	add_nr_cpus(text, root);
}

/* Keeps what the archive contained, and only appends what is missing. */
static int append(const char *path, const char *text, size_t len)
{
	_close_ int fd = len ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	if (!len)
		return 0;
	return fd < 0 ? -errno : fd_write_all(fd, text, len);
}

int kernel_config_place(const char *root)
{
	_free_ char *path = str_fmt("%s" GUEST_CONFIG, root);
	_free_ char *named = NULL;
	_str_ struct str text = {};
	struct utsname kernel;
	size_t before;
	int rc = path ? file_read_at(AT_FDCWD, path, &text) : -ENOMEM;

	if (rc < 0)
		return rc;
	uname(&kernel);
	named = str_fmt("%s-%s", path, kernel.release);
	before = text.len;
	complete(&text, root);
	if (!named || text.failed)
		return -ENOMEM;
	rc = append(path, text.s + before, text.len - before);
	return rc == 0 && rename(path, named) < 0 ? -errno : rc;
}
