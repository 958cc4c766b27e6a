// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr --version`: this program, and what its runs depend on. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "ktstr/ktstr.h"
#include "vm/accel.h"

int cli_show_version(void)
{
	static const char before[] = "version ";
	struct vm_qemu qemu;
	bool has_qemu = vm_qemu_find(vm_arch_host(), &qemu) == 0;

	printf("ktstr %s\n"
	       "commit: " KTSTR_COMMIT "\n"
	       "QEMU: %s\n"
	       "libbpf: " KTSTR_LIBBPF "\n",
	       ktstr_version(),
	       has_qemu ? strstr(qemu.version_text, before) + strlen(before) : "none");
	vm_qemu_finish(&qemu);
	err_clear();
	return EXIT_OK;
}
