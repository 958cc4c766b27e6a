// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders from a hostile /proc: the input, up to a zero byte, is the locks file,
 * then mountinfo, then the command line of every process.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "host/lock_holders.h"

/* Pids of the corpus; others are processes that have ended. */
#define SHOWN_PID 41

static char proc[64];

static void write_cmdline(const char *bytes, size_t len)
{
	_free_ char *dir = str_fmt("%s/%d", proc, SHOWN_PID);
	_free_ char *path = str_fmt("%s/cmdline", dir);
	_close_ int fd = -1;

	mkdir(dir, 0755);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || fd_write_all(fd, bytes, len) < 0)
		abort();
}

static void remove_proc(void)
{
	_free_ char *dir = str_fmt("%s/%d", proc, SHOWN_PID);
	_free_ char *path = str_fmt("%s/cmdline", dir);

	unlink(path);
	rmdir(dir);
	rmdir(proc);
}

static void make_proc(void)
{
	if (proc[0])
		return;
	snprintf(proc, sizeof(proc), "/dev/shm/ktstr-fuzz-XXXXXX");
	if (!mkdtemp(proc))
		abort();
	atexit(remove_proc);
}

static void check_holders(const struct lock_table *t, const struct lock_entry *id)
{
	_lock_holders_ struct lock_holders holders = {};
	_str_ struct str text = {};

	if (lock_table_find_id(t, id, &holders) < 0 || !holders.count)
		abort();
	lock_holders_add(&text, &holders);
	if (!str_starts(str_get(&text), "pid "))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *text = calloc(1, size + 2);
	_lock_table_ struct lock_table t = {};
	struct lock_entry id;
	const char *mountinfo, *cmdline;

	if (!text)
		return 0;
	make_proc();
	memcpy(text, data, size);
	mountinfo = text + MIN(strlen(text) + 1, size + 1);
	cmdline = mountinfo + strlen(mountinfo);
	if (cmdline < text + size)
		cmdline++;
	write_cmdline(cmdline, (size_t)(text + size - MIN(cmdline, text + size)));
	t.roots = (struct roots){ .proc = proc };
	if (lock_table_parse(&t, text, mountinfo) < 0)
		return 0;
	for (size_t i = 0; i < MIN(t.entries.count, 8); i++)
		check_holders(&t, &t.entries.items[i]);
	lock_table_identify(&t, "/dev/null", &id);
	return 0;
}
