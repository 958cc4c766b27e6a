// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr locks`: holders of ktstr's locks on this machine. */
#include <signal.h>

#include "cli/table.h"
#include "host/reserve.h"

#define CLEAR_SCREEN "\033[2J\033[H"

/* A section of the output: its title, its first column, its names in JSON. */
static const struct block {
	enum lock_kind kind;
	const char *title;
	const char *column;
	bool has_node;
	const char *json_list;
	const char *json_key;
} blocks[] = {
	{ LOCK_LLC, "LLC locks:", "LLC", true, "llcs", "llc_idx" },
	{ LOCK_CPU, "Per-CPU locks:", "CPU", true, "cpus", "cpu" },
	{ LOCK_CACHE, "Cache-entry locks:", "CACHE KEY", false, "cache", "cache_key" },
	{ LOCK_RUN, "Run-dir locks:", "RUN KEY", false, "run_dirs", "run_key" },
};

static void add_lockfile(struct table *t, size_t column, const struct lock_row *row)
{
	_str_ struct str text = {};

	text_add_printable(&text, row->lockfile);
	if (row->is_stale)
		str_add(&text, " (deleted)");
	table_cell(t, column, str_get(&text));
}

/* The first holder is next to the file, the others on separate lines. */
static void add_holders(struct table *t, size_t column, const struct lock_row *row)
{
	if (!row->holders.count)
		table_cell(t, column, "<none recorded>");
	for (size_t i = 0; i < row->holders.count; i++) {
		_str_ struct str text = {};

		if (i)
			table_row(t);
		lock_holder_add(&text, &row->holders.items[i]);
		table_cell(t, column, str_get(&text));
	}
}

static void add_row(struct table *t, const struct block *block, const struct lock_row *row)
{
	_str_ struct str key = {};
	size_t column = 1;

	text_add_printable(&key, row->key);
	table_texts(t, str_get(&key));
	if (block->has_node)
		table_cellf(t, column++, row->has_node ? "%u" : "?", row->node);
	add_lockfile(t, column++, row);
	add_holders(t, column, row);
}

static int add_block(struct str *out, const struct block *block, const struct lock_rows *rows)
{
	const char *columns[4] = { block->column, "NODE", "LOCKFILE", "HOLDERS" };
	_table_ struct table table = {};
	size_t count = ARRAY_SIZE(columns);

	str_addf(out, "%s\n", block->title);
	if (!rows->count) {
		str_add(out, "  (none)\n");
		return 0;
	}
	if (!block->has_node) {
		memmove(&columns[1], &columns[2], 2 * sizeof(columns[0]));
		count--;
	}
	table_init(&table, columns, count);
	for (size_t i = 0; i < rows->count; i++)
		add_row(&table, block, &rows->items[i]);
	return table_add(&table, out);
}

/* Holder of the first live ticket from *at on; advances *at. NULL at the end. */
static const struct lock_holder *next_waiting(const struct lock_rows *tickets, size_t *at)
{
	while (*at < tickets->count) {
		const struct lock_holders *h = &tickets->items[(*at)++].holders;

		if (h->count)
			return &h->items[0];
	}
	return NULL;
}

/* Only if a process waits; usually none does. */
static int add_queue(struct str *out, const struct lock_rows *tickets)
{
	_table_ struct table table = {};
	const struct lock_holder *holder;
	size_t at = 0, position = 0;

	table_titles(&table, "POSITION", "WAITING");
	while ((holder = next_waiting(tickets, &at))) {
		_str_ struct str text = {};

		lock_holder_add(&text, holder);
		table_texts(&table, "", str_get(&text));
		table_cellf(&table, 0, "%zu", ++position);
	}
	if (!position)
		return 0;
	str_add(out, "\nQueue for CPUs:\n");
	return table_add(&table, out);
}

static int add_text(struct str *out, const struct locks_scan *scan)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(blocks) && rc == 0; i++) {
		if (i)
			str_addc(out, '\n');
		rc = add_block(out, &blocks[i], &scan->kinds[blocks[i].kind]);
	}
	return rc ?: add_queue(out, &scan->kinds[LOCK_QUEUE]);
}

static const char *mode_name(bool is_exclusive)
{
	return is_exclusive ? "exclusive" : "shared";
}

static void put_holders(struct json *j, const struct lock_row *row)
{
	json_put_array(j, "holders");
	vec_each(const struct lock_holder, h, &row->holders) {
		json_object(j);
		json_put_i64(j, "pid", h->pid);
		json_put_string(j, "cmdline", h->cmdline);
		json_put_string(j, "mode", mode_name(h->is_exclusive));
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_row(struct json *j, const struct block *block, const struct lock_row *row)
{
	const struct lock_holders *h = &row->holders;

	json_object(j);
	if (block->has_node) {
		json_put_u64(j, block->json_key, row->number);
		json_key(j, "numa_node");
		row->has_node ? json_u64(j, row->node) : json_null(j);
	} else {
		json_put_string(j, block->json_key, row->key);
	}
	json_put_string(j, "lockfile", row->lockfile);
	put_holders(j, row);
	json_put_string(j, "mode", h->count ? mode_name(h->items[0].is_exclusive) : NULL);
	json_key(j, "age_s");
	row->has_age ? json_u64(j, row->age_ns / NSEC_PER_SEC) : json_null(j);
	json_put_bool(j, "stale", row->is_stale);
	json_object_end(j);
}

/* Processes that wait for CPUs, in order of service. */
static void put_queue(struct json *j, const struct lock_rows *tickets)
{
	const struct lock_holder *holder;
	size_t at = 0, position = 0;

	json_put_array(j, "queue");
	while ((holder = next_waiting(tickets, &at))) {
		json_object(j);
		json_put_u64(j, "position", ++position);
		json_put_i64(j, "pid", holder->pid);
		json_put_string(j, "cmdline", holder->cmdline);
		json_object_end(j);
	}
	json_array_end(j);
}

static void add_json(struct str *out, const struct locks_scan *scan, bool pretty)
{
	struct json j;

	json_init(&j, out, pretty);
	json_object(&j);
	json_put_u64(&j, "schema_version", 1);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		const struct lock_rows *rows = &scan->kinds[blocks[i].kind];

		json_put_array(&j, blocks[i].json_list);
		for (size_t k = 0; k < rows->count; k++)
			put_row(&j, &blocks[i], &rows->items[k]);
		json_array_end(&j);
	}
	put_queue(&j, &scan->kinds[LOCK_QUEUE]);
	json_object_end(&j);
}

struct view {
	struct lock_places places;
	struct topology topology;
	bool has_topology;
	bool is_json;
	bool is_watch;
};

static void view_finish(struct view *v)
{
	lock_places_finish(&v->places);
	topology_finish(&v->topology);
}

static int show(const struct view *v)
{
	_locks_scan_ struct locks_scan scan = {};
	_str_ struct str out = {};
	int rc = locks_scan(&scan, &v->places, &roots_live, v->has_topology ? &v->topology : NULL);

	if (rc < 0)
		return rc;
	if (v->is_json) {
		add_json(&out, &scan, !v->is_watch);
		return output_json(&out);
	}
	rc = add_text(&out, &scan);
	if (rc == 0 && v->is_watch)
		fputs(CLEAR_SCREEN, stdout);
	return rc < 0 ? rc : output_text(&out);
}

/* Shows a frame per interval until SIGINT, which is the normal end. */
static int watch(const struct view *v, uint64_t interval_ns)
{
	const struct timespec interval = { .tv_sec = (time_t)(interval_ns / NSEC_PER_SEC),
					   .tv_nsec = (long)(interval_ns % NSEC_PER_SEC) };
	sigset_t set;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (;;) {
		rc = show(v);
		if (rc < 0)
			return rc;
		if (fflush(stdout) != 0)
			return err_sys(errno, "write to standard output");
		if (sigtimedwait(&set, NULL, &interval) == SIGINT)
			return EXIT_OK;
	}
}

static int cmd_locks_run(const struct cli_call *call)
{
	_cleanup_(view_finish) struct view v = {
		.is_json = cli_flag(call, "json"),
		.is_watch = cli_is_given(call, "watch"),
	};
	uint64_t interval_ns = cli_number(call, "watch");
	int rc;

	if (v.is_watch && !interval_ns)
		return cli_usage_error(call, "--watch takes an interval longer than 0");
	rc = lock_places_from_env(&v.places);
	if (rc < 0)
		return rc;
	v.has_topology = topology_read(&v.topology, &roots_live) == 0;
	return v.is_watch ? watch(&v, interval_ns) : show(&v);
}

/* clang-format off */
const struct cli_cmd cmd_locks = {
	.name = "locks", .summary = "show the locks of ktstr on this machine and who holds them",
	.about = "Shows the lock files of LLCs, CPUs, kernel cache entries and run directories "
		 "and the processes that hold them. Takes no lock itself. A lock file that was "
		 "deleted while held is marked (deleted).",
	.params = CLI_PARAMS(
		CLI_JSON,
		{ .name = "watch", .kind = CLI_DURATION, .value = "DURATION",
		  .help = "repeat at this interval (100ms, 1s, 5m) until interrupted" }),
	.examples = CLI_EXAMPLES(
		{ "locks", "the current locks and their holders" },
		{ "locks --watch 1s", "the same, every second until Ctrl-C" },
		{ "locks --watch 1s --json", "one JSON object per line and second" }),
	.run = cmd_locks_run,
};
/* clang-format on */
