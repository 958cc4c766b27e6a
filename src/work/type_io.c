// SPDX-License-Identifier: GPL-2.0-only
/* Work that writes files, and sequences of spinning, sleeping, yielding and writing. */
#include "work/types.h"

#define WRITES 16
#define WRITE_SIZE 4096
#define IO_SLEEP_NS 100000

struct io {
	int fd;
};

/* The file is unlinked at once, so that a killed worker leaves nothing behind. */
int io_sync_prepare(struct ktstr_worker *w)
{
	struct io *io = worker_state(w, sizeof(*io));
	const char *dir = env_get("TMPDIR");
	char path[4096];

	if (!io)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/ktstr_io_%d", dir ? dir : "/tmp", getpid());
	unlink(path);
	io->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (io->fd < 0)
		return worker_problem(w, errno, "create %s", path);
	unlink(path);
	return 0;
}

void io_sync_iterate(struct ktstr_worker *w)
{
	static const char block[WRITE_SIZE];
	struct io *io = w->state;

	if (ftruncate(io->fd, 0) < 0)
		worker_problem(w, errno, "truncate the temporary file");
	for (int i = 0; i < WRITES; i++) {
		if (pwrite(io->fd, block, sizeof(block), (off_t)i * WRITE_SIZE) == WRITE_SIZE)
			w->work_units++;
		else
			worker_problem(w, errno, "write the temporary file");
	}
	worker_sleep_ns(w, IO_SLEEP_NS);
}

/* ---- sequences ---- */

int sequence_prepare(struct ktstr_worker *w)
{
	const struct ktstr_phase *phases = w->spec->work->work_type.phases;

	for (int i = 0; i < KTSTR_MAX_PHASES && phases[i].us; i++)
		if (phases[i].kind == KTSTR_PHASE_IO)
			return io_sync_prepare(w);
	return 0;
}

static void yield_once(struct ktstr_worker *w)
{
	worker_yield(w);
	worker_rested_at(w, clock_mono_ns());
	worker_progress(w, 1);
}

static void write_once(struct ktstr_worker *w)
{
	io_sync_iterate(w);
	worker_progress(w, 0);
}

static void repeat_until(struct ktstr_worker *w, uint64_t until_ns,
			 void (*once)(struct ktstr_worker *w))
{
	do
		once(w);
	while (clock_mono_ns() < until_ns && !worker_should_stop(w));
}

void sequence_iterate(struct ktstr_worker *w)
{
	const struct ktstr_phase *p = w->spec->work->work_type.phases;

	for (int i = 0; i < KTSTR_MAX_PHASES && p[i].us && !worker_should_stop(w); i++) {
		uint64_t ns = p[i].us * 1000;

		switch (p[i].kind) {
		case KTSTR_PHASE_SPIN:
			worker_spin_until(w, clock_mono_ns() + ns);
			break;
		case KTSTR_PHASE_SLEEP:
			worker_sleep_ns(w, ns);
			break;
		case KTSTR_PHASE_YIELD:
			repeat_until(w, clock_mono_ns() + ns, yield_once);
			break;
		case KTSTR_PHASE_IO:
			repeat_until(w, clock_mono_ns() + ns, write_once);
			break;
		}
	}
}
