// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the scheduler that was linked into this program, and waits for its end. One that has
 * work to do in user space defines scheduler_round().
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../src/base/embed.h"
#include "loader.h"
#include "machine.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define KIND_ERROR 1024
#define END_STEPS 100
#define ROUND_NS 250000000

EMBED(scheduler_object, SCHEDULER_OBJECT);

__attribute__((weak)) long scheduler_round(struct bpf_object *object)
{
	(void)object;
	return ROUND_NS;
}

static int failed(const char *what, int error)
{
	fprintf(stderr, SCHEDULER_NAME ": %s: %s\n", what, strerror(error < 0 ? -error : error));
	return 1;
}

/* The first number of a file such as "0-3,8", or the last one; -1 = there is none. */
static int read_number(const char *path, int wants_last)
{
	char text[256], *number = text;
	FILE *file = fopen(path, "re");
	int value = -1;

	if (!file)
		return -1;
	if (fgets(text, sizeof(text), file)) {
		for (char *p = text; wants_last && *p; p++)
			if (*p == '-' || *p == ',')
				number = p + 1;
		if (sscanf(number, "%d", &value) != 1)
			value = -1;
	}
	fclose(file);
	return value;
}

/* The lowest CPU that shares the outermost cache. */
static int llc_leader(unsigned int cpu)
{
	char path[128];
	int leader = -1;

	for (unsigned int i = 0; i < 5; i++) {
		int first;

		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cache/index%u/shared_cpu_list", cpu,
			 i);
		first = read_number(path, 0);
		if (first >= 0)
			leader = first;
	}
	return leader < 0 ? 0 : leader;
}

static void describe(struct machine *m)
{
	int leaders[MAX_LLCS], highest = read_number(CPU_DIR "/possible", 1);

	m->loader = (unsigned int)getpid();
	m->cpu_count = highest < 0 ? 1 : (unsigned int)highest + 1;
	if (m->cpu_count > MAX_CPUS)
		m->cpu_count = MAX_CPUS;
	for (unsigned int cpu = 0; cpu < m->cpu_count; cpu++) {
		int leader = llc_leader(cpu);
		unsigned int i = 0;

		while (i < m->llc_count && leaders[i] != leader)
			i++;
		if (i == m->llc_count && i < MAX_LLCS)
			leaders[m->llc_count++] = leader;
		m->cpu_llc[cpu] = i < MAX_LLCS ? i : 0;
	}
}

static struct bpf_map *find_operations(struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			return map;
	}
	return NULL;
}

static const struct ending *map_ending(struct bpf_object *object)
{
	int fd = bpf_object__find_map_fd_by_name(object, ENDING_SECTION);
	const void *at = mmap(NULL, sizeof(struct ending), PROT_READ, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int has_ended(const struct ending *e)
{
	return __atomic_load_n(&e->kind, __ATOMIC_ACQUIRE) != 0;
}

static void wait_for_end(struct bpf_object *object, const struct ending *e, const sigset_t *ends)
{
	struct timespec round = {};

	do
		round.tv_nsec = scheduler_round(object);
	while (!has_ended(e) && sigtimedwait(ends, NULL, &round) < 0);
}

static int finish(struct bpf_link *link, const struct ending *e)
{
	const struct timespec step = { .tv_nsec = 20000000 };

	bpf_link__destroy(link);
	for (int i = 0; i < END_STEPS && !has_ended(e); i++)
		nanosleep(&step, NULL);
	fprintf(stderr, "EXIT: %s%s%s%s\n", e->reason, e->message[0] ? " (" : "", e->message,
		e->message[0] ? ")" : "");
	return e->kind >= KIND_ERROR;
}

static int run(struct bpf_object *object, const sigset_t *ends)
{
	struct bpf_map *machine = bpf_object__find_map_by_name(object, MACHINE_SECTION);
	size_t size = 0;
	struct machine *m = machine ? bpf_map__initial_value(machine, &size) : NULL;
	struct bpf_map *operations = find_operations(object);
	const struct ending *e;
	struct bpf_link *link;
	int rc;

	if (!operations || size < sizeof(*m))
		return failed("look into the BPF object", EINVAL);
	describe(m);
	rc = bpf_object__load(object);
	if (rc < 0)
		return failed("load", rc);
	e = map_ending(object);
	if (!e)
		return failed("map the ending", errno);
	link = bpf_map__attach_struct_ops(operations);
	if (!link)
		return failed("attach", errno);
	fprintf(stderr, SCHEDULER_NAME ": attached\n");
	wait_for_end(object, e, ends);
	return finish(link, e);
}

int main(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = SCHEDULER_NAME);
	struct bpf_object *object = bpf_object__open_mem(scheduler_object_start,
							 EMBEDDED_SIZE(scheduler_object), &options);
	sigset_t ends;
	int rc;

	if (!object)
		return failed("open the BPF object", errno);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	setvbuf(stderr, NULL, _IOLBF, 0);
	rc = run(object, &ends);
	bpf_object__close(object);
	return rc;
}
