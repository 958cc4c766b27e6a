// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a snapshot: as JSON, and through a file as a zstd stream. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "ctprof/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sum;

/* Uses every string, so that one that was freed or never set is noticed. */
static void touch(const struct snapshot *s)
{
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct thread_record *t = &s->threads[i];

		sum += strlen(t->pcomm) + strlen(t->comm) + (t->cgroup ? strlen(t->cgroup) : 0);
		for (size_t m = 0; m < METRIC_COUNT; m++)
			if (thread_has(t, m) &&
			    (metrics[m].kind == METRIC_WORD || metrics[m].kind == METRIC_CPUSET))
				sum += strlen(t->values[m].s);
		for (size_t k = 0; k < t->smaps_kib.count; k++)
			sum += strlen(t->smaps_kib.items[k].name);
	}
	for (size_t i = 0; i < s->cgroup_count; i++) {
		sum += strlen(s->cgroups[i].path);
		if (i && strcmp(s->cgroups[i - 1].path, s->cgroups[i].path) > 0)
			abort();
	}
}

static void load_json(const uint8_t *data, size_t size)
{
	_snapshot_ struct snapshot s;
	_free_ char *own = malloc(size + 1);

	if (!own)
		abort();
	if (size)
		memcpy(own, data, size);
	own[size] = '\0';
	if (snapshot_parse(&s, own, size) == 0)
		touch(&s);
}

static void load_file(const uint8_t *data, size_t size)
{
	_snapshot_ struct snapshot s;
	_close_ int fd = memfd_create("snapshot", MFD_CLOEXEC);
	char path[40];

	if (fd < 0 || fd_write_all(fd, data, size) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (snapshot_load(&s, path) == 0)
		touch(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	log_set_level(LOG_OFF);
	load_json(data, size);
	load_file(data, size);
	return 0;
}
