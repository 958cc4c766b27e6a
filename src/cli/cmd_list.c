// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr list`: available scenarios, and kinds of work. */
#include "cli/options.h"
#include "cli/table.h"
#include "hostmode/execute.h"
#include "work/workers.h"

struct list {
	struct host_scenarios scenarios;
	struct arena names;
	struct str out;
	struct json json;
	bool is_json;
	size_t shown;
};

static void list_finish(struct list *l)
{
	host_scenarios_finish(&l->scenarios);
	arena_finish(&l->names);
	str_finish(&l->out);
}

static void add_json(struct list *l, const struct host_scenario *s, const char *const *profiles)
{
	json_object(&l->json);
	json_put_string(&l->json, "name", s->name);
	json_put_string(&l->json, "category", s->category);
	json_put_string(&l->json, "description", s->description);
	json_put_array(&l->json, "profiles");
	for (; *profiles; profiles++)
		json_string(&l->json, *profiles);
	json_array_end(&l->json);
	json_object_end(&l->json);
}

static void add_text(struct list *l, const struct host_scenario *s, const char *const *profiles)
{
	str_addf(&l->out, "%-30s [%-12s] %s (profiles: ", s->name, s->category, s->description);
	for (size_t i = 0; profiles[i]; i++)
		str_addf(&l->out, "%s%s", i ? ", " : "", profiles[i]);
	str_add(&l->out, ")\n");
}

static int add_scenario(struct list *l, const struct host_scenario *s)
{
	const char *const *profiles;
	size_t count;
	int rc = host_plan_add_profiles(s, &l->names, &profiles, &count);

	if (rc < 0)
		return rc;
	l->shown++;
	(l->is_json ? add_json : add_text)(l, s, profiles);
	return 0;
}

static int add_scenarios(struct list *l, const char *filter)
{
	int rc = 0;

	if (l->is_json)
		json_array(&l->json);
	vec_each_while(const struct host_scenario, s, &l->scenarios.list, rc == 0)
		if (!filter || strstr(s->name, filter))
			rc = add_scenario(l, s);
	if (l->is_json)
		json_array_end(&l->json);
	else
		str_addf(&l->out, "\n%zu scenarios\n", l->shown);
	return rc;
}

static void hint(const struct list *l, const char *filter)
{
	const char *closest = host_scenarios_closest(&l->scenarios, filter);

	if (closest)
		fprintf(stderr, "no scenario matches '%s'. Did you mean '%s'?\n", filter, closest);
	else
		fprintf(stderr, "no scenario matches '%s'\n", filter);
}

static int list_scenarios(const struct cli_call *call)
{
	const char *filter = cli_text(call, "filter");
	_cleanup_(list_finish) struct list l = { .is_json = cli_flag(call, "json") };
	int rc = host_options_scenarios(call, &l.scenarios);

	json_init(&l.json, &l.out, true);
	rc = rc ?: add_scenarios(&l, filter);
	if (rc < 0)
		return rc;
	if (filter && !l.shown)
		hint(&l, filter);
	return l.is_json ? output_json(&l.out) : output_text(&l.out);
}

/* ---- kinds of work ---- */

static const struct work_type_info *next_type(enum ktstr_work_kind *kind)
{
	return ++*kind < KTSTR_WORK_COUNT ? work_type_info(*kind) : NULL;
}

static unsigned int default_group(enum ktstr_work_kind kind)
{
	return work_type_group(&(struct ktstr_work_type){ .kind = kind });
}

static void add_parameters(struct str *out, const struct work_type_info *info)
{
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		str_addf(out, "%s%s=%llu", i ? " " : "", info->parameters[i].name,
			 ULL(info->parameters[i].value));
}

static void put_parameters(struct json *j, const void *of)
{
	const struct work_type_info *info = of;

	json_object(j);
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		json_put_u64(j, info->parameters[i].name, info->parameters[i].value);
	json_object_end(j);
}

static int list_work_types(const struct cli_call *call)
{
	static const struct sheet_column columns[] = {
		{ "name", "NAME" },   { "parameters", "PARAMETERS" },
		{ "group", "GROUP" }, { "stresses", "STRESSES" },
		{ "nameable" },
	};
	enum ktstr_work_kind kind = KTSTR_WORK_DEFAULT;
	const struct work_type_info *info;
	struct printout o;

	output_begin(&o, call);
	sheet_begin(&o.sheet, NULL, columns);
	while ((info = next_type(&kind))) {
		struct sheet_cell group = SHEET_U64(default_group(kind));
		_str_ struct str parameters = {};

		add_parameters(&parameters, info);
		sheet_add(&o.sheet, SHEET_TEXT(info->name),
			  sheet_shown(&o.sheet, SHEET_OWN(put_parameters, info), "%s",
				      parameters.len ? str_get(&parameters) : "-"),
			  group.u64 > 1 ? group : sheet_shown(&o.sheet, group, "-"),
			  sheet_shown(&o.sheet, SHEET_TEXT(info->stresses), "%s%s", info->stresses,
				      info->is_unnameable ? " (not for --work-type)" : ""),
			  SHEET_BOOL(!info->is_unnameable));
	}
	return output_end(&o, sheet_end(&o.sheet));
}

static int cmd_list_run(const struct cli_call *call)
{
	if (cli_flag(call, "work-types"))
		return list_work_types(call);
	return list_scenarios(call);
}

/* clang-format off */
const struct cli_cmd cmd_list = {
	.name = "list", .summary = "list the scenarios that `ktstr run` knows",
	.about = "Prints name, category and description of each scenario, and the profiles "
		 "(sets of flags) that it runs with.",
	.params = CLI_PARAMS(
		{ .name = "filter", .kind = CLI_STRING, .value = "SUB",
		  .help = "only scenarios whose name contains this" },
		{ .name = "file", .kind = CLI_FILE, .value = "PATH", .is_repeatable = true,
		  .help = "list the scenarios of this file instead of the catalog, and check the "
			  "file" },
		{ .name = "load", .kind = CLI_FILE, .value = "LIBRARY", .is_repeatable = true,
		  .help = "list the tests of this shared object instead of the catalog" },
		{ .name = "work-types", .help = "list what workers can do, with parameters and defaults" },
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "list", "all scenarios" },
		{ "list --filter dynamic", "scenarios whose name contains dynamic" },
		{ "list --work-types", "names for --work-type" }),
	.run = cmd_list_run,
};
/* clang-format on */
