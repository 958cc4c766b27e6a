// SPDX-License-Identifier: GPL-2.0-only
/* The embedded fragment and checks of .config files. */
#include "kernel/build.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/embed.h"

/* Included by the assembler, relative to the directory of the build. */
EMBED_TEXT(kernel_kconfig, "ktstr.kconfig");

static const struct {
	const char *name, *hint;
} required[] = {
	{ "CONFIG_SCHED_CLASS_EXT",
	  "needs Linux 6.12 or newer, BPF_SYSCALL, BPF_JIT and DEBUG_INFO_BTF" },
	{ "CONFIG_DEBUG_INFO_BTF",
	  "needs pahole 1.16 or newer (package dwarves, or pahole) in PATH" },
	{ "CONFIG_BPF_SYSCALL", "something in .config switches BPF off" },
	{ "CONFIG_FTRACE", "something in .config switches tracing off" },
	{ "CONFIG_KPROBE_EVENTS", "needs KPROBES and FTRACE" },
	{ "CONFIG_BPF_EVENTS", "needs BPF_SYSCALL, PERF_EVENTS and KPROBE_EVENTS" },
};

const char *kconfig_fragment(size_t *len)
{
	*len = strlen(kernel_kconfig);
	return kernel_kconfig;
}

void kconfig_hash_text(const char *text, size_t len, char out[static KCONFIG_HASH_SIZE])
{
	snprintf(out, KCONFIG_HASH_SIZE, "%08x", crc32_of(text, len));
}

static char own_hash[KCONFIG_HASH_SIZE];

static void hash_fragment(void)
{
	size_t len;
	const char *text = kconfig_fragment(&len);

	kconfig_hash_text(text, len, own_hash);
}

const char *kconfig_hash(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hash_fragment);
	return own_hash;
}

/* Finds "CONFIG_X=" at the start of a line; the last one counts, as in kconfig. */
static const char *find_setting(const char *config, const char *name)
{
	size_t len = strlen(name);
	const char *found = NULL;

	text_each_line(l, config)
		if (strncmp(l.s, name, len) == 0 && l.s[len] == '=')
			found = l.s + len + 1;
	return found;
}

bool kconfig_value(const char *config, const char *name, struct str *value)
{
	const char *found = find_setting(config, name);

	if (!found)
		return false;
	str_addn(value, found, strcspn(found, "\n"));
	return true;
}

/* "CONFIG_X=y" must be present; for "# CONFIG_X is not set" the option must not be set. */
static bool has_line(const char *config, const char *line, size_t len)
{
	static const char unset[] = " is not set";
	const char *found;
	size_t name_len;
	char name[128];

	if (len > 2 && strncmp(line, "# CONFIG_", 9) == 0)
		line += 2, len -= 2;
	else if (len < 7 || strncmp(line, "CONFIG_", 7) != 0)
		return true;
	name_len = strcspn(line, "= \n");
	if (name_len >= sizeof(name))
		return false;
	memcpy(name, line, name_len);
	name[name_len] = '\0';
	found = find_setting(config, name);
	if (line[name_len] == '=')
		return found && strcspn(found, "\n") == len - name_len - 1 &&
		       strncmp(found, line + name_len + 1, len - name_len - 1) == 0;
	return strncmp(line + name_len, unset, strlen(unset)) != 0 || !found;
}

bool kconfig_has_all(const char *config, const char *fragment)
{
	text_each_line(l, fragment)
		if (!has_line(config, l.s, l.len))
			return false;
	return true;
}

int kconfig_check(const char *config)
{
	_str_ struct str missing = {};

	for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
		const char *value = find_setting(config, required[i].name);

		if (!value || *value != 'y')
			str_addf(&missing, "%s%s (%s)", missing.len ? ", " : "", required[i].name,
				 required[i].hint);
	}
	if (!missing.len)
		return 0;
	return err_set(EINVAL, "the kernel's configuration lost what tests need: %s",
		       str_get(&missing));
}
