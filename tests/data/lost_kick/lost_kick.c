// SPDX-License-Identifier: GPL-2.0-only
/* Loads the scheduler and stays until it is told to go. LOST_KICK_OBJECT names the object. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"object:\n"
	".incbin \"" LOST_KICK_OBJECT "\"\n"
	"object_end:\n"
	".popsection\n");
extern const char object[], object_end[];

int main(void)
{
	struct bpf_object *o = bpf_object__open_mem(object, (size_t)(object_end - object), NULL);
	struct bpf_map *ops = o ? bpf_object__find_map_by_name(o, "lost_kick") : NULL;
	sigset_t ends;
	int number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (!ops || bpf_object__load(o) < 0 || !bpf_map__attach_struct_ops(ops)) {
		perror("lost_kick");
		return 1;
	}
	return sigwait(&ends, &number) != 0;
}
