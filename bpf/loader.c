// SPDX-License-Identifier: GPL-2.0-only
/* Loads and attaches scx_ktstr with libbpf. The BPF object is embedded in this program. */
#include "../src/base/embed.h"
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNREGISTER_WAIT_STEPS 100
#define UNREGISTER_WAIT_US 20000
#define EXIT_CODE_RESTART (1LL << 48) /* the kernel's SCX_ECODE_ACT_RESTART */
#define PIN_FILE "/sys/fs/bpf/scx-ktstr"

EMBED(scx_ktstr_object, SCX_KTSTR_OBJECT);

static bool tells_all;

static int print(enum libbpf_print_level level, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

static int print(enum libbpf_print_level level, const char *format, va_list ap)
{
	if (level == LIBBPF_DEBUG && !tells_all)
		return 0;
	return vfprintf(stderr, format, ap);
}

static void *value_of(struct bpf_object *object, const char *name, size_t wanted)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t size = 0;
	void *value = map ? bpf_map__initial_value(map, &size) : NULL;

	return value && size >= wanted ? value : NULL;
}

int loader_open(struct loader *l, bool is_verbose)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "scx_ktstr");

	tells_all = is_verbose;
	libbpf_set_print(print);
	l->object = bpf_object__open_mem(scx_ktstr_object_start, EMBEDDED_SIZE(scx_ktstr_object),
					 &options);
	if (!l->object) {
		fprintf(stderr, "scx-ktstr: open the BPF object: %s\n", strerror(errno));
		return -errno;
	}
	l->ops = bpf_object__find_map_by_name(l->object, SCX_KTSTR_OPS);
	l->config = value_of(l->object, SCX_KTSTR_CONFIG, sizeof(*l->config));
	if (l->ops && l->config && value_of(l->object, SCX_KTSTR_STATE, sizeof(*l->state)))
		return 0;
	fprintf(stderr, "scx-ktstr: the BPF object is not the one of this loader\n");
	return -EINVAL;
}

static int explain_load(int rc)
{
	if (access("/sys/kernel/sched_ext", F_OK) < 0)
		fprintf(stderr, "scx-ktstr: load: this kernel has no sched_ext\n");
	else if (rc == -EPERM)
		fprintf(stderr, "scx-ktstr: load: only root may load a scheduler\n");
	else
		fprintf(stderr, "scx-ktstr: load: %s\n", strerror(-rc));
	return rc;
}

static int map_state(struct loader *l)
{
	struct bpf_map *map = bpf_object__find_map_by_name(l->object, SCX_KTSTR_STATE);
	void *state =
		mmap(NULL, bpf_map__value_size(map), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (state == MAP_FAILED) {
		fprintf(stderr, "scx-ktstr: map the state: %s\n", strerror(errno));
		return -errno;
	}
	l->state = state;
	return 0;
}

int loader_load(struct loader *l, unsigned int timeout_ms)
{
	size_t size = 0;
	struct sched_ext_ops *ops = bpf_map__initial_value(l->ops, &size);
	int rc;

	if (!ops || size < sizeof(*ops)) {
		fprintf(stderr, "scx-ktstr: the operations of the BPF object cannot be set\n");
		return -EINVAL;
	}
	ops->timeout_ms = timeout_ms;
	if (l->config->faults & FAULTS_WITH_LAST)
		ops->flags |= SCX_OPS_ENQ_LAST;
	rc = bpf_object__load(l->object);
	return rc < 0 ? explain_load(rc) : map_state(l);
}

int loader_attach(struct loader *l)
{
	int rc;

	l->link = bpf_map__attach_struct_ops(l->ops);
	if (l->link)
		return 0;
	rc = -errno;
	fprintf(stderr, "scx-ktstr: attach: %s\n",
		rc == -EBUSY ? "another scheduler is loaded" : strerror(-rc));
	return rc;
}

int loader_pin(struct loader *l)
{
	int rc = bpf_link__pin(l->link, PIN_FILE);

	if (rc < 0) {
		fprintf(stderr, "scx-ktstr: pin the link as " PIN_FILE ": %s\n", strerror(-rc));
		return rc;
	}
	bpf_link__disconnect(l->link);
	bpf_link__destroy(l->link);
	l->link = NULL;
	return 0;
}

void loader_print_programs(const struct loader *l)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, l->object)
	{
		struct bpf_prog_info info = {};
		unsigned int size = sizeof(info);

		if (bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0)
			printf("  %-40s verified_insns=%u\n", bpf_program__name(program),
			       info.verified_insns);
	}
	fflush(stdout);
}

bool loader_has_ended(const struct loader *l)
{
	return __atomic_load_n(&l->state->exit_kind, __ATOMIC_ACQUIRE) != 0;
}

void loader_ignore_hotplug(struct loader *l)
{
	size_t size = 0;
	struct sched_ext_ops *ops = bpf_map__initial_value(l->ops, &size);

	if (!ops || size < sizeof(*ops))
		return;
	ops->cpu_online = NULL;
	ops->cpu_offline = NULL;
}

bool loader_must_restart(const struct loader *l)
{
	return l->link && loader_has_ended(l) && l->state->exit_code & EXIT_CODE_RESTART;
}

static void print_end(const struct scx_ktstr_state *s)
{
	if (s->exit_dump[0])
		fprintf(stderr, "\nDEBUG DUMP\n%s\n", s->exit_dump);
	fprintf(stderr, "EXIT: %s", s->exit_reason);
	if (s->exit_message[0])
		fprintf(stderr, " (%s)", s->exit_message);
	fprintf(stderr, "\nexit kind %u code %lld\n", s->exit_kind, s->exit_code);
}

unsigned int loader_finish(struct loader *l)
{
	unsigned int kind = 0;

	if (l->link) {
		bpf_link__destroy(l->link);
		/* The kernel unregisters the scheduler asynchronously. */
		for (int i = 0; i < UNREGISTER_WAIT_STEPS && !loader_has_ended(l); i++)
			usleep(UNREGISTER_WAIT_US);
		kind = l->state->exit_kind;
		if (kind)
			print_end(l->state);
		else
			fprintf(stderr,
				"scx-ktstr: the kernel did not report the end of the scheduler\n");
	}
	bpf_object__close(l->object);
	*l = (struct loader){};
	return kind;
}
