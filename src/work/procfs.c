// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel counts about memory: pages by NUMA node, pages it moved. */
#include "work/worker.h"

#define MIGRATED_KEY "\nnuma_pages_migrated "

/* Absent in kernels without NUMA balancing. */
bool vmstat_read_migrated(uint64_t *pages)
{
	_str_ struct str text = {};
	const char *at;

	if (file_read_at(AT_FDCWD, "/proc/vmstat", &text) < 0)
		return false;
	at = strstr(str_get(&text), MIGRATED_KEY);
	if (!at)
		return false;
	at += strlen(MIGRATED_KEY);
	return parse_digits(&at, pages) == 0;
}

bool has_numa_nodes(void)
{
	_str_ struct str text = {};

	if (file_read_at(AT_FDCWD, "/sys/devices/system/node/online", &text) < 0)
		return false;
	str_trim_end(&text);
	return strpbrk(str_get(&text), ",-") != NULL;
}

/* Only words that begin with N and a digit: file names may hold anything, also " N0=9". */
static const char *add_word(const char *at, uint64_t pages[static WORKER_MAX_NODES])
{
	uint64_t node, count;

	if (*at != 'N')
		return at;
	at++;
	if (parse_digits(&at, &node) < 0 || *at != '=')
		return at;
	at++;
	if (parse_digits(&at, &count) == 0 && node < WORKER_MAX_NODES)
		pages[node] += count;
	return at;
}

void numa_add_maps(const char *text, uint64_t pages[static WORKER_MAX_NODES])
{
	for (const char *at = text; *at;) {
		at = add_word(at, pages);
		at += strcspn(at, " \n");
		at += strspn(at, " \n");
	}
}

/* Without the heap, which most workers never touch. */
static bool read_resident(uint64_t *pages)
{
	_close_ int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at = text;
	uint64_t size;

	if (len <= 0)
		return false;
	text[len] = '\0';
	if (parse_digits(&at, &size) < 0 || *at != ' ')
		return false;
	at++;
	return parse_digits(&at, pages) == 0;
}

bool numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES])
{
	_str_ struct str text = {};

	if (!has_nodes)
		return read_resident(&pages[0]);
	if (file_read_at(AT_FDCWD, "/proc/self/numa_maps", &text) < 0)
		return false;
	numa_add_maps(str_get(&text), pages);
	return true;
}
