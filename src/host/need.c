// SPDX-License-Identifier: GPL-2.0-only
/* The table of what can be missing. */
#include "host/need.h"

/* clang-format off */
#define CAPABILITY(id, lower, loss) \
	{ "CAP_" #id, LACK_CAPABILITY(#id), loss, FIX_SETCAP("cap_" lower) },
#define SYSCTL(id, name, off, on, loss) \
	{ name "=" on, name "=" off, loss, "sudo sysctl -w " name "=" on },
#define OPTION(id, loss, more) \
	{ "CONFIG_" #id, LACK_OPTION(#id), loss, "run a kernel with CONFIG_" #id "=y" more },
/* clang-format on */

const struct need needs[NEEDS] = {
#include "host/needs.def"
};

void need_add_right(struct str *out, enum need_id id)
{
	str_addf(out, "re-run as root, or %s", needs[id].fix);
}

void finding_lack(struct finding *d, unsigned int state, enum need_id id)
{
	const struct need *n = &needs[id];

	finding_set(d, state, "%s%s%s", n->loss ? n->loss : "", n->loss ? ": " : "", n->lack);
	finding_fix(d, "%s", n->fix);
}
