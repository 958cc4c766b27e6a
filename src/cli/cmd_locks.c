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

#define HOLDERS 3 /* column */

static const char *mode_name(const struct lock_holder *h)
{
	return h->is_exclusive ? "exclusive" : "shared";
}

static void put_holders(struct json *j, const void *of)
{
	const struct lock_holders *holders = of;

	json_array(j);
	vec_each(const struct lock_holder, h, holders) {
		json_object(j);
		json_put_i64(j, "pid", h->pid);
		json_put_string(j, "cmdline", h->cmdline);
		json_put_string(j, "mode", mode_name(h));
		json_object_end(j);
	}
	json_array_end(j);
}

/* The first holder is next to the file, the others on separate lines. */
static void add_row(struct sheet *s, const struct block *block, const struct lock_row *row)
{
	const struct lock_holders *h = &row->holders;
	_str_ struct str holder = {};

	if (h->count)
		lock_holder_add(&holder, h->items);
	sheet_add(s,
		  block->has_node ? sheet_shown(s, SHEET_U64(row->number), "%s", row->key) :
				    SHEET_TEXT(row->key),
		  SHEET_U64_IF(row->has_node, row->node),
		  sheet_shown(s, SHEET_TEXT(row->lockfile), "%s%s", row->lockfile,
			      row->is_stale ? " (deleted)" : ""),
		  sheet_shown(s, SHEET_OWN(put_holders, h), "%s",
			      h->count ? str_get(&holder) : "<none recorded>"),
		  SHEET_TEXT(h->count ? mode_name(h->items) : NULL),
		  SHEET_U64_IF(row->has_age, row->age_ns / NSEC_PER_SEC),
		  SHEET_BOOL(row->is_stale));
	for (size_t i = 1; i < h->count; i++) {
		str_reset(&holder);
		lock_holder_add(&holder, &h->items[i]);
		sheet_below(s, HOLDERS, str_get(&holder));
	}
}

static int add_block(struct sheet *s, const struct block *block, const struct lock_rows *rows)
{
	const struct sheet_column columns[] = {
		{ block->json_key, block->column },
		{ block->has_node ? "numa_node" : NULL, block->has_node ? "NODE" : NULL,
		  .absent = "?" },
		{ "lockfile", "LOCKFILE" },
		[HOLDERS] = { "holders", "HOLDERS" },
		{ "mode" },
		{ "age_s" },
		{ "stale" },
	};

	if (s->format == SHEET_AS_TABLE)
		str_addf(s->out, "%s%s\n%s", s->out->len ? "\n" : "", block->title,
			 rows->count ? "" : "  (none)\n");
	s->heading = "";
	sheet_begin(s, block->json_list, columns);
	vec_each(const struct lock_row, row, rows)
		add_row(s, block, row);
	return sheet_end(s);
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

/* Processes that wait for CPUs, in order of service; usually none does. */
static int add_queue(struct sheet *s, const struct lock_rows *tickets)
{
	static const struct sheet_column columns[] = {
		{ "position", "POSITION" }, { .title = "WAITING" }, { "pid" }, { "cmdline" }
	};
	const struct lock_holder *holder;
	size_t at = 0, position = 0;

	s->heading = "\nQueue for CPUs:\n";
	sheet_begin(s, "queue", columns);
	while ((holder = next_waiting(tickets, &at))) {
		_str_ struct str text = {};

		lock_holder_add(&text, holder);
		sheet_add(s, SHEET_U64(++position), SHEET_TEXT(str_get(&text)),
			  SHEET_I64(holder->pid), SHEET_TEXT(holder->cmdline));
	}
	return sheet_end(s);
}

static int add_all(struct sheet *s, const struct locks_scan *scan)
{
	int rc = 0;

	array_each_while(const struct block, b, blocks, ARRAY_SIZE(blocks), rc == 0)
		rc = add_block(s, b, &scan->kinds[b->kind]);
	return rc ?: add_queue(s, &scan->kinds[LOCK_QUEUE]);
}

struct locks_view {
	const struct cli_call *call;
	struct lock_places places;
	struct topology topology;
	bool has_topology;
	bool is_watch;
};

static void view_finish(struct locks_view *v)
{
	lock_places_finish(&v->places);
	topology_finish(&v->topology);
}

/* With --watch JSON is one line per interval. */
static int show(const struct locks_view *v)
{
	_locks_scan_ struct locks_scan scan = {};
	struct printout o;
	int rc = locks_scan(&scan, &v->places, &roots_live, v->has_topology ? &v->topology : NULL);

	if (rc < 0)
		return rc;
	output_begin(&o, v->call);
	o.json.pretty = !v->is_watch;
	if (o.is_json) {
		json_object(&o.json);
		json_put_u64(&o.json, "schema_version", 1);
	}
	rc = add_all(&o.sheet, &scan);
	if (rc == 0 && v->is_watch && !o.is_json)
		fputs(CLEAR_SCREEN, stdout);
	return output_end(&o, rc);
}

/* Shows a frame per interval until SIGINT, which is the normal end. */
static int watch(const struct locks_view *v, uint64_t interval_ns)
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
	_cleanup_(view_finish) struct locks_view v = {
		.call = call,
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
