// SPDX-License-Identifier: GPL-2.0-only
/* Workers that read ranges of the listed threads. */
#include "ctprof/capture_parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* Threads a worker takes at a time: one batch of taskstats requests. */
#define RANGE TASKSTATS_BATCH

#define HUGE_PAGE ((size_t)2 << 20)

struct worker;

struct crew {
	const struct walk_list *list;
	const struct taskstats_gates *gates;
	struct thread_record *records; /* one per listed thread; tid 0 = dropped */
	atomic_size_t next;
	atomic_int failure; /* the first negative errno */
	struct worker *workers;
	unsigned int worker_count;
};

/* A copy, because the buffers are reused. Fields after those of version 17 are not read. */
struct answer {
	int error;
	size_t len;
	unsigned char payload[768];
};

struct worker {
	struct crew *crew;
	struct thread_reader reader;
	struct taskstats_client *taskstats;
	struct taskstats_summary tally;
	struct answer answers[RANGE]; /* for the threads of the current range */
	pthread_t thread;
	bool is_started;
};

static void keep_answer(void *context, size_t index, const struct taskstats_reply *reply)
{
	struct worker *w = context;
	struct answer *a = &w->answers[index];

	a->error = reply->error;
	a->len = reply->error ? 0 : MIN(reply->len, sizeof(a->payload));
	if (a->len)
		memcpy(a->payload, reply->payload, a->len);
}

/* Before files are read: a reply saves reading one file of the thread. */
static void ask_range(struct worker *w, const struct walk_thread *items, size_t count)
{
	uint32_t tids[RANGE];

	for (size_t i = 0; i < count; i++)
		tids[i] = items[i].tid;
	taskstats_ask(w->taskstats, tids, count, keep_answer, w);
}

static void take_answer(struct worker *w, const struct answer *a, struct thread_record *t)
{
	unsigned int version = taskstats_version(a->payload, a->len);

	t->unread_taskstats = (unsigned char)MIN(a->error, UINT8_MAX);
	w->tally.ok += a->error == 0;
	w->tally.eperm += a->error == EPERM;
	w->tally.esrch += a->error == ESRCH;
	w->tally.other += a->error && a->error != EPERM && a->error != ESRCH;
	if (a->error)
		return;
	taskstats_fill(a->payload, a->len, w->crew->gates, t);
	if (version)
		w->tally.struct_version = (struct opt_u64){ true, version };
}

static void set_gates(struct thread_record *t, const struct taskstats_gates *gates)
{
	t->cpu_delay_active = gates->cpu_delay;
	t->delay_block_active = gates->delay_block;
	t->xacct_active = gates->xacct;
}

static int read_range(struct worker *w, size_t first, size_t end)
{
	const struct walk_thread *items = w->crew->list->items;
	const struct taskstats_gates *gates = w->crew->gates;
	bool is_asked = w->taskstats && gates;

	if (is_asked)
		ask_range(w, items + first, end - first);
	for (size_t i = first; i < end; i++) {
		const struct answer *a = &w->answers[i - first];
		struct thread_record *t = &w->crew->records[i];
		int fate;

		*t = (struct thread_record){};
		if (is_asked && a->len && gates->cpu_delay)
			taskstats_fill_schedstat(a->payload, a->len, t);
		fate = thread_read(&w->reader, items[i].tgid, items[i].tid, t);
		if (fate < 0)
			return fate;
		if (fate != THREAD_KEPT) {
			t->tid = 0;
			continue;
		}
		if (gates)
			set_gates(t, gates);
		if (is_asked)
			take_answer(w, a, t);
	}
	return 0;
}

static void work(struct crew *crew, struct worker *w)
{
	int rc = 0;

	while (rc == 0 && !atomic_load(&crew->failure)) {
		size_t first = atomic_fetch_add(&crew->next, RANGE);

		if (first >= crew->list->count)
			break;
		rc = read_range(w, first, MIN(first + RANGE, crew->list->count));
	}
	if (rc < 0)
		atomic_store(&crew->failure, rc);
	thread_reader_leave(&w->reader);
}

/*
 * Each worker has a private file table, which avoids the locks and atomic counters of a shared
 * table for each open, read and close. Descriptors that it opens are private, too.
 */
static void *work_in_thread(void *context)
{
	struct worker *w = context;

	if (unshare(CLONE_FILES) < 0)
		log_debug("ctprof", "a worker shares the table of files: %s", strerror(errno));
	work(w->crew, w);
	return NULL;
}

/* The first worker is the calling thread. Workers that cannot be started are omitted. */
static void run_workers(struct crew *crew)
{
	sigset_t all, before;

	/* Signals are handled by the main thread, which has the tracees. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned int i = 1; i < crew->worker_count; i++) {
		struct worker *w = &crew->workers[i];

		w->is_started = pthread_create(&w->thread, NULL, work_in_thread, w) == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work(crew, &crew->workers[0]);
	for (unsigned int i = 1; i < crew->worker_count; i++)
		if (crew->workers[i].is_started)
			pthread_join(crew->workers[i].thread, NULL);
}

static int init_worker(struct worker *w, struct crew *crew, const struct capture_opts *opts,
		       int proc_fd)
{
	int rc;

	w->crew = crew;
	rc = thread_reader_init(&w->reader, opts, proc_fd);
	if (rc == 0 && crew->gates)
		rc = taskstats_open(&w->taskstats);
	return rc;
}

/* Records may take tens of megabytes: huge pages avoid page faults. */
static struct thread_record *alloc_records(size_t count)
{
	size_t size = (count * sizeof(struct thread_record) + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *records;

	if (size < 2 * HUGE_PAGE)
		return malloc(size);
	records = aligned_alloc(HUGE_PAGE, size);
	if (records)
		madvise(records, size, MADV_HUGEPAGE);
	return records;
}

static int init_crew(struct crew *crew, const struct capture_opts *opts, int proc_fd)
{
	int rc = 0;

	crew->records = alloc_records(crew->list->count);
	crew->workers = calloc(crew->worker_count, sizeof(*crew->workers));
	if (!crew->records || !crew->workers)
		return err_set(ENOMEM, "out of memory for %zu threads", crew->list->count);
	for (unsigned int i = 0; rc == 0 && i < crew->worker_count; i++)
		rc = init_worker(&crew->workers[i], crew, opts, proc_fd);
	return rc;
}

static void finish_crew(struct crew *crew)
{
	for (unsigned int i = 0; crew->workers && i < crew->worker_count; i++) {
		if (crew->workers[i].crew)
			thread_reader_finish(&crew->workers[i].reader);
		taskstats_close(crew->workers[i].taskstats);
	}
	free(crew->workers);
	free(crew->records);
}

static void take_tallies(struct snapshot *s, struct worker *w)
{
	s->parse.tids_walked += w->reader.tids_walked;
	s->parse.vanished_threads += w->reader.vanished;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		s->parse.negative_dotted_values += w->reader.negatives[i];
		s->unread[i].threads += w->reader.negatives[i];
	}
	for (size_t i = 0; i < SNAPSHOT_FILES; i++) {
		s->parse.by_file[i] += w->reader.failures[i];
		s->parse.read_failures += w->reader.failures[i];
	}
	s->taskstats.ok += w->tally.ok;
	s->taskstats.eperm += w->tally.eperm;
	s->taskstats.esrch += w->tally.esrch;
	s->taskstats.other += w->tally.other;
	if (w->tally.struct_version.is_known)
		s->taskstats.struct_version = w->tally.struct_version;
	arena_adopt(&s->arena, &w->reader.arena);
}

/* Moves the records together, without those of dropped threads. */
static void take_records(struct snapshot *s, struct crew *crew)
{
	size_t kept = 0;

	for (size_t i = 0; i < crew->list->count; i++) {
		if (!crew->records[i].tid)
			continue;
		if (kept != i)
			crew->records[kept] = crew->records[i];
		kept++;
	}
	s->threads = take_ptr(&crew->records);
	s->thread_count = kept;
}

int walk_read_threads(struct snapshot *s, const struct capture_opts *opts,
		      const struct walk_list *list, int proc_fd,
		      const struct taskstats_gates *gates, unsigned int worker_count)
{
	size_t ranges = (list->count + RANGE - 1) / RANGE;
	_cleanup_(finish_crew) struct crew crew = {
		.list = list,
		.gates = gates,
		.worker_count = MAX(1, MIN(worker_count, (unsigned int)ranges)),
	};
	int rc = init_crew(&crew, opts, proc_fd);

	if (rc < 0)
		return rc;
	run_workers(&crew);
	if (crew.failure < 0)
		return err_sys(-crew.failure, "read %zu threads", list->count);
	s->parse.is_known = true;
	s->taskstats.is_known = gates != NULL;
	if (gates)
		s->taskstats.delayacct = (struct opt_u64){ gates->cpu_delay, gates->delay_block };
	for (unsigned int i = 0; i < crew.worker_count; i++)
		take_tallies(s, &crew.workers[i]);
	take_records(s, &crew);
	return 0;
}
