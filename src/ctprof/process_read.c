// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads memory of other processes. A page that is neither in memory nor in swap may have to be
 * provided by a program: for userfaultfd, or a file of FUSE. The kernel would wait for that
 * program, and only a fatal signal ends the wait, so such pages are not read.
 */
#include "ctprof/jemalloc_parts.h"

#include <sys/uio.h>

#define MAX_PAGES 4		   /* of one read */
#define PAGE_IS_THERE (3ULL << 62) /* bits of /proc/PID/pagemap: present, or swapped */

static bool is_resident(int pagemap, uint64_t address, size_t len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = address / page;
	uint64_t entries[MAX_PAGES], count = (address + len - 1) / page - first + 1;
	ssize_t wanted = (ssize_t)(count * sizeof(entries[0]));

	if (!len || address + len < address || count > MAX_PAGES ||
	    pread(pagemap, entries, (size_t)wanted, (off_t)(first * sizeof(entries[0]))) != wanted)
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!(entries[i] & PAGE_IS_THERE))
			return false;
	return true;
}

bool process_read_parts(pid_t pid, const struct memory_part *parts, size_t count)
{
	struct iovec here[MAX_PARTS], there[MAX_PARTS];
	_close_ int pagemap = -1;
	size_t wanted = 0;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/pagemap", (int)pid);
	pagemap = open(name, O_RDONLY | O_CLOEXEC);
	if (pagemap < 0 || count > MAX_PARTS)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!is_resident(pagemap, parts[i].address, parts[i].len))
			return false;
		here[i] = (struct iovec){ parts[i].out, parts[i].len };
		there[i] = (struct iovec){ (void *)(uintptr_t)parts[i].address, parts[i].len };
		wanted += parts[i].len;
	}
	return process_vm_readv(pid, here, count, there, count, 0) == (ssize_t)wanted;
}

bool process_read(pid_t pid, uint64_t address, void *out, size_t len)
{
	return process_read_parts(pid, &(struct memory_part){ address, out, len }, 1);
}
