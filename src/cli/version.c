// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr --version`: this program, and what its runs depend on. */
#include "cli/cli.h"
#include "ktstr/ktstr.h"
#include "vm/accel.h"

/* Set by the Makefile. */
#ifndef KTSTR_COMMIT
#define KTSTR_COMMIT "unknown"
#define KTSTR_LIBBPF "unknown"
#endif

/* "QEMU emulator version 10.0.2 (Debian ...)" */
static const char *number_of(const char *text)
{
	static const char before[] = "version ";
	const char *at = strstr(text, before);

	return at ? at + strlen(before) : text;
}

int cli_show_version(void)
{
	struct vm_qemu qemu = {};
	bool has_qemu = vm_qemu_find(vm_arch_host(), &qemu) == 0;

	printf("ktstr %s\n"
	       "commit: " KTSTR_COMMIT "\n"
	       "QEMU: %s\n"
	       "libbpf: " KTSTR_LIBBPF "\n",
	       ktstr_version(), has_qemu ? number_of(qemu.version_text) : "none");
	vm_qemu_finish(&qemu);
	err_clear();
	return EXIT_OK;
}
