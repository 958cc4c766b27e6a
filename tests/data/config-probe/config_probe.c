// SPDX-License-Identifier: GPL-2.0-only
/* config_probe OBJECT [--print]: attaches the scheduler; prints what it knows and ends, or waits. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "config_probe.h"

static int print_values(struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss.values");
	struct config_values v;
	unsigned int key = 0;

	if (!map || bpf_map__lookup_elem(map, &key, sizeof(key), &v, sizeof(v), 0) < 0)
		return 1;
	printf("CONFIG_HZ=%u\nCONFIG_NR_CPUS=%u\nsmp %u ext %u cgroups %u fair %u core %u "
	       "unknown %u\n",
	       v.hz, v.nr_cpus, v.smp, v.sched_class_ext, v.cgroups, v.fair_group_sched,
	       v.sched_core, v.unknown);
	return 0;
}

static void wait_for_end(void)
{
	sigset_t ends;
	int signal;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	sigwait(&ends, &signal);
}

int main(int argc, char **argv)
{
	struct bpf_object *object = argc > 1 ? bpf_object__open_file(argv[1], NULL) : NULL;
	struct bpf_link *link;
	int rc = 0;

	if (!object || bpf_object__load(object) < 0)
		return 1;
	link = bpf_map__attach_struct_ops(bpf_object__find_map_by_name(object, "probe_ops"));
	if (!link)
		return 1;
	if (argc > 2 && strcmp(argv[2], "--print") == 0)
		rc = print_values(object);
	else
		wait_for_end();
	bpf_link__destroy(link);
	bpf_object__close(object);
	return rc;
}
