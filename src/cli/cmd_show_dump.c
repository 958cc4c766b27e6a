// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr show-dump`: prints a failure dump or snapshots of a guest. */
#include "cli/table.h"
#include "watch/watch.h"

#define MAX_BYTES (256UL << 20)

static int read_dump(const char *path, struct arena *arena, struct str *text,
		     const struct json_node **dump)
{
	_map_file_ struct map_file file = {};
	int rc = map_file_open_whole(&file, path);

	if (rc == 0 && file.size > MAX_BYTES)
		rc = err_set(EFBIG, "%s: larger than %lu MiB: no dump of ktstr's", path,
			     MAX_BYTES >> 20);
	if (rc < 0)
		return rc;
	str_addn(text, file.data, file.size);
	rc = str_check(text);
	if (rc < 0)
		return rc;
	*dump = json_tree_read(arena, text->s, text->len);
	if (!*dump)
		return err_wrap(-EINVAL, "%s", path);
	if (!json_get(*dump, "snapshots"))
		return err_set(EINVAL,
			       "%s: neither a failure dump nor snapshots: they are the "
			       "*.failure-dump.json and *.snapshots.json beside records",
			       path);
	return 0;
}

static void add_fields(const struct json_node *node, const char *const *keys, struct str *out)
{
	for (; *keys; keys++) {
		const struct json_node *n = json_get(node, *keys);

		if (!n || (n->value.kind != JSON_STRING && n->value.kind != JSON_UNSIGNED))
			continue;
		str_addf(out, "%s: ", *keys);
		dump_add_plain(n, out);
		str_addc(out, '\n');
	}
}

static void add_head(const struct json_node *dump, struct str *out)
{
	static const char *const run[] = { "test",	     "topology", "scheduler",
					   "kernel_version", "accel",	 "seed",
					   "digest",	     "core",	 "core_unavailable",
					   "qemu_command",   NULL };
	static const char *const end[] = { "end", "kind", "reason", "message", NULL };

	add_fields(dump, run, out);
	add_fields(json_get(dump, "scheduler_exit"), end, out);
}

/* Time of the snapshot, and what is missing. */
static void add_part_head(const struct json_node *part, struct str *out)
{
	static const char *const time[] = { "virtual_ns", NULL };
	static const char *const missing[] = { "icount_unavailable",	"vcpus_unavailable",
					       "maps_unavailable",	"programs_unavailable",
					       "snapshots_unavailable", NULL };

	add_fields(json_get(part, "icount"), time, out);
	add_fields(part, missing, out);
}

static void add_sections(const struct json_node *dump, struct str *out)
{
	struct dump_limits limits = dump_whole;

	limits.values = dump_brief.values;
	limits.columns = dump_brief.columns;
	for (size_t i = 0; i < ARRAY_SIZE(dump_sections); i++) {
		_str_ struct str text = {};

		dump_sections[i].add(dump, &limits, &text);
		if (text.len)
			str_addf(out, "\n--- %s ---\n%s", dump_sections[i].title, text.s);
	}
}

/* Searches both moments, if there are two: one may have what the other lacks. */
static int add_found(const struct cli_call *call, const struct json_node *part, struct str *out)
{
	const char *map = cli_text(call, "map");
	int rc = map ? dump_add_map(part, map, out) : 0;

	if (rc == 0 && cli_is_given(call, "task"))
		rc = dump_add_task(part, cli_number(call, "task"), out);
	return rc;
}

static int add_all_found(const struct cli_call *call, const struct json_node *dump,
			 const struct json_node *early, struct str *out)
{
	_str_ struct str before = {};
	int rc_early = early ? add_found(call, early, &before) : -ENOENT;
	int rc = add_found(call, dump, out);

	if (rc_early == 0)
		str_addf(out, "\n=== early ===\n%s", str_get(&before));
	if (rc_early == 0 && rc == -ENOENT) {
		err_clear();
		rc = 0;
	}
	return rc;
}

static int cmd_show_dump_run(const struct cli_call *call)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str text = {}, out = {};
	const struct json_node *dump, *early;
	int rc = read_dump(cli_text(call, "file"), &arena, &text, &dump);

	if (rc < 0)
		return rc;
	early = json_get(dump, "early");
	if (cli_text(call, "map") || cli_is_given(call, "task")) {
		rc = add_all_found(call, dump, early, &out);
		return rc ?: output_text(&out);
	}
	add_head(dump, &out);
	add_part_head(dump, &out);
	add_sections(dump, &out);
	if (early) {
		str_add(&out, "\n=== early ===\n");
		add_part_head(early, &out);
		add_sections(early, &out);
	}
	return output_text(&out);
}

/* clang-format off */
const struct cli_cmd cmd_show_dump = {
	.name = "show-dump", .summary = "show the state of the guest when a test failed",
	.about = "Prints a failure dump: run queues, dispatch queues with their tasks, runnable "
		 "tasks, BPF maps and programs of the guest at the moment when its scheduler was "
		 "removed, or when it hung. If a threshold of the monitor was exceeded before, or "
		 "a task had waited for half of the watchdog's timeout, it also has the state at "
		 "that moment. Also prints snapshots that a test requested.",
	.params = CLI_PARAMS(
		{ .name = "file", .is_arg = true, .is_required = true, .kind = CLI_FILE, .value = "FILE",
		  .help = "a *.failure-dump.json or *.snapshots.json beside the record of a test" },
		{ .name = "map", .kind = CLI_STRING, .value = "NAME",
		  .help = "print only BPF maps whose names end with NAME, with all their entries" },
		{ .name = "task", .kind = CLI_NUMBER, .value = "PID", .max = INT32_MAX,
		  .help = "print only this runnable task and its entries in task storage maps" }),
	.examples = CLI_EXAMPLES(
		{ "show-dump target/ktstr/*/my_test-*.failure-dump.json", "everything, with long "
			"maps shortened" },
		{ "show-dump my_test.failure-dump.json --map .bss", "global variables of the scheduler" }),
	.run = cmd_show_dump_run,
};
/* clang-format on */
