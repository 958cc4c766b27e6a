// SPDX-License-Identifier: GPL-2.0-only
/* The files under complete/, as strings of the program. */
#include "cli/complete.h"

#define EMBED(symbol, file)                               \
	__asm__(".pushsection .rodata,\"a\"\n"            \
		".global " #symbol "\n" #symbol ":\n"     \
		".incbin \"src/cli/complete/" file "\"\n" \
		".byte 0\n"                               \
		".popsection\n")

EMBED(complete_code_bash, "bash.sh");
EMBED(complete_code_bash_cargo, "bash-cargo.sh");
EMBED(complete_code_zsh_cargo, "zsh-cargo.zsh");
EMBED(complete_code_fish, "fish.fish");
EMBED(complete_code_elvish, "elvish.elv");
EMBED(complete_code_powershell, "powershell.ps1");
EMBED(complete_code_powershell_cargo, "powershell-cargo.ps1");
