// SPDX-License-Identifier: GPL-2.0-only
/* Memory counters of the kernel: pages per NUMA node, migrated pages. */
#include "work/worker.h"

#define MIGRATED_KEY "\nnuma_pages_migrated "

/* Returns false on kernels without NUMA balancing. */
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

/* Only words that begin with N and a digit: file names may contain anything, also " N0=9". */
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

static bool line_has(struct text_line l, const char *word)
{
	return memmem(l.s, l.len, word, strlen(word)) != NULL;
}

/*
 * The node of a program's and its libraries' pages depends on the process that read the file first.
 * A private mapping of a file may have anonymous pages, too: the kernel does not tell their node.
 */
static bool is_anonymous(struct text_line l)
{
	return line_has(l, " anon=") && !line_has(l, " file=");
}

void numa_add_maps(const char *text, uint64_t pages[static WORKER_MAX_NODES])
{
	text_each_line(l, text) {
		for (const char *at = l.s; is_anonymous(l) && at < l.s + l.len;) {
			at = add_word(at, pages);
			at += strcspn(at, " \n");
			at += strspn(at, " ");
		}
	}
}

/* Resident pages without those of files. Avoids the heap, which most workers never touch. */
static bool read_anonymous(uint64_t *pages)
{
	_close_ int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t numbers[3] = {}; /* size, resident, of files */
	const char *at = text;

	if (len <= 0)
		return false;
	text[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		at += strspn(at, " ");
		if (parse_digits(&at, &numbers[i]) < 0)
			return false;
	}
	*pages = numbers[1] - MIN(numbers[1], numbers[2]);
	return true;
}

bool numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES])
{
	_str_ struct str text = {};

	if (!has_nodes)
		return read_anonymous(&pages[0]);
	if (file_read_at(AT_FDCWD, "/proc/self/numa_maps", &text) < 0)
		return false;
	numa_add_maps(str_get(&text), pages);
	return true;
}
