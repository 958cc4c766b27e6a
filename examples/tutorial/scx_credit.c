// SPDX-License-Identifier: GPL-2.0-only
/* Loads scx_credit.bpf.o, which is beside this program's source, and stays until a signal. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>

__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"object:\n"
	".incbin \"scx_credit.bpf.o\"\n"
	"object_end:\n"
	".popsection\n");
extern const char object[], object_end[];

int main(void)
{
	struct bpf_object *o = bpf_object__open_mem(object, (size_t)(object_end - object), NULL);
	struct bpf_link *link;
	sigset_t ends;
	int signal;

	if (!o || bpf_object__load(o) < 0) {
		perror("scx_credit: load");
		return 1;
	}
	link = bpf_map__attach_struct_ops(bpf_object__find_map_by_name(o, "credit"));
	if (!link) {
		perror("scx_credit: attach");
		return 1;
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	sigwait(&ends, &signal);
	bpf_link__destroy(link);
	bpf_object__close(o);
	return 0;
}
