// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the observer's BPF programs and pins programs and maps:
 *
 *	ktstr-observe DIRECTORY [turns]
 *
 * Creates the directory, which has to be in a bpf file system. Does not attach the
 * programs: the process that opens the pinned programs attaches them, without libbpf.
 * On error it prints one line to stderr and leaves nothing behind. "turns": the CPUs
 * are vCPUs that take turns on one thread. For the mode --probes, see
 * observe_probes.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/base/embed.h"
#include "../src/observe/layout.h"
#include "observe.h"

EMBED(observe_object, OBSERVE_OBJECT);

/* The last message of libbpf, which is more precise than errno. */
static char complaint[512];

static int keep_complaint(enum libbpf_print_level level, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));

static int keep_complaint(enum libbpf_print_level level, const char *format, va_list ap)
{
	if (getenv("KTSTR_OBSERVE_VERBOSE"))
		return vfprintf(stderr, format, ap);
	if (level != LIBBPF_DEBUG) {
		vsnprintf(complaint, sizeof(complaint), format, ap);
		complaint[strcspn(complaint, "\n")] = '\0';
	}
	return 0;
}

int observe_fail(const char *what, int rc)
{
	fprintf(stderr, "%s: %s%s%s%s\n", what, strerror(-rc), complaint[0] ? " (" : "", complaint,
		complaint[0] ? ")" : "");
	return 1;
}

void observe_clear(void)
{
	complaint[0] = '\0';
}

static int set_mask_words(struct bpf_object *object)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");
	int cpus = libbpf_num_possible_cpus();
	size_t size = 0;
	__u32 *words = rodata ? bpf_map__initial_value(rodata, &size) : NULL;

	if (cpus < 0)
		return cpus;
	if (!words || size < sizeof(*words))
		return -EINVAL;
	*words = ((__u32)cpus + 63) / 64;
	if (*words > OBSERVE_WORDS)
		*words = OBSERVE_WORDS;
	return 0;
}

/* Sets the initial values: no CPU has a task of a higher class. */
static int set_control(struct bpf_object *object, int takes_turns)
{
	static struct observe_control control;
	struct bpf_map *map = bpf_object__find_map_by_name(object, OBSERVE_MAP_CONTROL);
	int cpus = libbpf_num_possible_cpus();
	__u32 key = 0;

	if (cpus < 0 || !map)
		return cpus < 0 ? cpus : -EINVAL;
	observe_set_turns(&control, (__u32)cpus, takes_turns);
	for (int i = 0; i < cpus && i < OBSERVE_MAX_CPUS; i++)
		control.open_cpus[i / 64] |= 1ULL << i % 64;
	return bpf_map__update_elem(map, &key, sizeof(key), &control, sizeof(control), 0);
}

static int pin_programs(struct bpf_object *object, const char *dir)
{
	struct bpf_program *program;
	int rc = 0;

	bpf_object__for_each_program(program, object)
	{
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, bpf_program__name(program));
		rc = bpf_program__pin(program, path);
		if (rc < 0)
			break;
	}
	return rc;
}

static int pin_maps(struct bpf_object *object, const char *dir)
{
	static const char *const names[] = { OBSERVE_MAP_TASKS, OBSERVE_MAP_CPUS, OBSERVE_MAP_SETS,
					     OBSERVE_MAP_CONTROL };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		rc = bpf_map__pin(bpf_object__find_map_by_name(object, names[i]), path);
	}
	return rc;
}

static int pin(struct bpf_object *object, const char *dir)
{
	int rc = mkdir(dir, 0700) < 0 ? -errno : 0;

	if (rc < 0)
		return rc;
	rc = pin_maps(object, dir);
	return rc < 0 ? rc : pin_programs(object, dir);
}

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "ktstr_observe");
	struct bpf_object *object;
	int rc;

	libbpf_set_print(keep_complaint);
	if (argc >= 3 && argc <= 4 && strcmp(argv[1], "--probes") == 0)
		return probes_main(argv[2], argc == 4 ? argv[3] : NULL);
	if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], OBSERVE_TURNS) != 0)) {
		fprintf(stderr, "usage: ktstr-observe DIRECTORY [" OBSERVE_TURNS "]\n"
				"       ktstr-observe --probes DIRECTORY [FUNCTION,...]\n");
		return 2;
	}
	object =
		bpf_object__open_mem(observe_object_start, EMBEDDED_SIZE(observe_object), &options);
	if (!object)
		return observe_fail("open the BPF object", -errno);
	rc = set_mask_words(object);
	if (rc == 0)
		rc = bpf_object__load(object);
	if (rc == 0)
		rc = set_control(object, argc == 3);
	if (rc < 0)
		return observe_fail("load the BPF programs", rc);
	observe_clear();
	rc = pin(object, argv[1]);
	bpf_object__close(object);
	return rc < 0 ? observe_fail(argv[1], rc) : 0;
}
