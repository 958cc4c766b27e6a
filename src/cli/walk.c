// SPDX-License-Identifier: GPL-2.0-only
/* Iterates over the table, for everything that is derived from it. */
#include "cli/cli.h"

static const struct cli_cmd *const *first_shown(const struct cli_cmd *const *subs)
{
	while (subs && *subs && (*subs)->is_hidden)
		subs++;
	return subs && *subs ? subs : NULL;
}

const struct cli_cmd *cli_walk_next(struct cli_walk *w)
{
	const struct cli_cmd *const *next;

	if (w->depth == 0)
		return w->path[w->depth++] = &cli_root;
	next = first_shown(w->path[w->depth - 1]->subs);
	while (!next && w->depth > 1)
		next = first_shown(w->at[--w->depth] + 1);
	if (!next)
		return NULL;
	w->at[w->depth] = next;
	return w->path[w->depth++] = *next;
}

const struct cli_param *cli_param_next(const struct cli_cmd *cmd, size_t *state)
{
	const struct cli_param *own = cmd->params;
	size_t own_count = 0, global;

	while (own && own[own_count].name)
		own_count++;
	if (*state < own_count)
		return &own[(*state)++];
	global = *state - own_count;
	if (cmd == &cli_root || !cli_root.params[global].name)
		return NULL;
	(*state)++;
	return &cli_root.params[global];
}

const struct cli_cmd *cli_find_sub(const struct cli_cmd *group, const char *name)
{
	cli_each_sub(sub, group)
		if (str_eq(sub->name, name) || (sub->alias && str_eq(sub->alias, name)))
			return sub;
	return NULL;
}
