// SPDX-License-Identifier: GPL-2.0-only
/* Embeds the files under complete/ as strings. */
#include "base/embed.h"
#include "cli/complete.h"

#define EMBED_CODE(name, file) EMBED_TEXT(name, "src/cli/complete/" file)

EMBED_CODE(complete_code_bash, "bash.sh");
EMBED_CODE(complete_code_bash_cargo, "bash-cargo.sh");
EMBED_CODE(complete_code_zsh_cargo, "zsh-cargo.zsh");
EMBED_CODE(complete_code_fish, "fish.fish");
EMBED_CODE(complete_code_elvish, "elvish.elv");
EMBED_CODE(complete_code_powershell, "powershell.ps1");
EMBED_CODE(complete_code_powershell_cargo, "powershell-cargo.ps1");
