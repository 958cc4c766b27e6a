// SPDX-License-Identifier: GPL-2.0-only
/* Warnings about a pair of snapshots. */
#include "ctprof/report.h"

void notes_add(struct notes *n, enum note_level level, const char *fmt, ...)
{
	_str_ struct str text = {};
	struct note note = { .level = level };

	str_add_rest(&text, fmt);
	note.text = str_take(&text);
	if (!note.text || vec_push(n, note) < 0) {
		n->failed = true;
		free(note.text);
	}
}

void notes_finish(struct notes *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i].text);
	free(n->items);
	*n = (struct notes){};
}

static void warn_sections(struct notes *n, const struct report *r)
{
	const struct report_options *o = r->options;

	if (!o->are_sections_named)
		return;
	for (enum section_id id = 0; id < SECTION_COUNT; id++)
		if (o->sections[id] && !options_want(o, id))
			notes_add(n, NOTE_WARNING,
				  "section '%s' requires --group-by cgroup; omitted under "
				  "--group-by %s",
				  sections[id].name, axis_names[o->axis]);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void warn_same_file(struct notes *n, const struct report *r)
{
	if (!is_same_file(r->paths[BASELINE], r->paths[CANDIDATE]))
		return;
	notes_add(n, NOTE_WARNING,
		  "baseline and candidate are the same file (%s): every delta is 0",
		  r->paths[CANDIDATE]);
}

static void warn_swapped(struct notes *n, const struct report *r)
{
	const struct opt_u64 *a = &r->pair.sides[BASELINE]->captured_at_unix_ns;
	const struct opt_u64 *b = &r->pair.sides[CANDIDATE]->captured_at_unix_ns;

	if (!a->is_known || !b->is_known || b->value >= a->value)
		return;
	notes_add(n, NOTE_WARNING,
		  "snapshots look swapped: the candidate was captured %.1f s before the "
		  "baseline",
		  (double)(a->value - b->value) / (double)NSEC_PER_SEC);
}

#define LIFETIMES "cumulative counters restart at boot, so deltas compare lifetimes, not a window"

static void warn_text(struct notes *n, const char *what, const char *a, const char *b)
{
	if (!a || !b || str_eq(a, b))
		return;
	notes_add(n, NOTE_WARNING, "different %s (%s, %s): " LIFETIMES, what, a, b);
}

static void warn_numbers(struct notes *n, const char *what, bool is_known, uint64_t a, uint64_t b,
			 const char *consequence)
{
	if (!is_known || a == b)
		return;
	notes_add(n, NOTE_WARNING, "different %s (%llu, %llu): %s", what, ULL(a), ULL(b),
		  consequence);
}

static void warn_hosts(struct notes *n, const struct report *r)
{
	const struct snapshot *a = r->pair.sides[BASELINE], *b = r->pair.sides[CANDIDATE];
	bool has_hosts = a->has_host && b->has_host;

	if (has_hosts) {
		warn_text(n, "kernel release", a->host.kernel_release, b->host.kernel_release);
		warn_text(n, "architecture", a->host.arch, b->host.arch);
	}
	warn_text(n, "boot", a->boot_id, b->boot_id);
	warn_numbers(n, "USER_HZ", a->user_hz.is_known && b->user_hz.is_known, a->user_hz.value,
		     b->user_hz.value,
		     "clock ticks have different lengths and cannot be subtracted");
	if (has_hosts)
		warn_numbers(
			n, "CPU count",
			a->host.online_cpus.is_known && b->host.online_cpus.is_known,
			a->host.online_cpus.value, b->host.online_cpus.value,
			"the same load spreads differently, so deltas are not only the workload's");
}

static void add_scheduler(struct str *out, const struct snapshot *s)
{
	const struct sched_ext_record *x = &s->sched_ext;

	if (!s->has_sched_ext || !x->state)
		str_add(out, "no sched_ext");
	else
		text_add_printable(out, x->ops && *x->ops ? x->ops : x->state);
}

static const char *find_tunable(const struct host_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (str_eq(pairs->items[i].key, key))
			return pairs->items[i].value;
	return NULL;
}

static void add_change(struct str *out, const char *what, const char *a, const char *b)
{
	if (a && b && str_eq(a, b))
		return;
	str_addf(out, "%s%s ", out->len ? "; " : "", what);
	text_add_printable(out, a ? a : "-");
	str_add(out, " → ");
	text_add_printable(out, b ? b : "-");
}

static void add_tunables(struct str *out, const struct host_pairs *a, const struct host_pairs *b)
{
	for (size_t i = 0; i < a->count; i++)
		add_change(out, a->items[i].key, a->items[i].value,
			   find_tunable(b, a->items[i].key));
	for (size_t i = 0; i < b->count; i++)
		if (!find_tunable(a, b->items[i].key))
			add_change(out, b->items[i].key, NULL, b->items[i].value);
}

/* Differences between the hosts that affect scheduling, in one line. */
static void tell_host(struct notes *n, const struct report *r)
{
	const struct snapshot *a = r->pair.sides[BASELINE], *b = r->pair.sides[CANDIDATE];
	_str_ struct str line = {}, was = {}, is = {};

	if (a->has_host && b->has_host && (a->host.kernel_release || b->host.kernel_release))
		add_change(&line, "kernel", a->host.kernel_release, b->host.kernel_release);
	add_scheduler(&was, a);
	add_scheduler(&is, b);
	add_change(&line, "scheduler", str_get(&was), str_get(&is));
	if (a->has_host && b->has_host && a->host.sched_tunables.is_known &&
	    b->host.sched_tunables.is_known)
		add_tunables(&line, &a->host.sched_tunables, &b->host.sched_tunables);
	n->failed |= line.failed || was.failed || is.failed;
	if (line.len)
		notes_add(n, NOTE_PLAIN, "host: %s", str_get(&line));
}

static void tell_empty(struct notes *n, const struct report *r)
{

	for (enum side side = BASELINE; side < SIDES; side++) {
		const struct snapshot *s = r->pair.sides[side];

		if (s && !s->thread_count)
			notes_add(n, NOTE_PLAIN, "no threads in %s", r->paths[side]);
		else if (s && !r->kept.sides[side].count)
			notes_add(n, NOTE_PLAIN, "no thread in %s passes the filter",
				  r->paths[side]);
	}
}

static bool has_row(const struct report *r, const struct ranking *rows,
		    bool (*is_it)(const struct cell *c))
{
	array_each(const struct row, row, rows->rows, rows->count) {
		struct cell c = compare_cell(&r->groups.groups[row->group], row->measure,
					     r->options, &r->window);

		if (is_it(&c))
			return true;
	}
	return false;
}

static bool has_partial_fact(const struct report *r)
{
	for (size_t i = 0; i < r->facts.count; i++)
		for (size_t k = 0; k < r->facts.items[i].count; k++)
			if (cell_is_partial(&r->facts.items[i].facts[k].cell))
				return true;
	return false;
}

static void tell_partial_facts(struct notes *n, const struct report *r)
{
	if (!has_partial_fact(r))
		return;
	notes_add(n, NOTE_PLAIN,
		  "~ in smaps_rollup marks sums that leave out processes of the name, whose "
		  "memory was not read");
}

static bool has_partial_time(const struct report *r)
{
	struct time_table t = find_times(r);

	for (size_t i = 0; i < t.count; i++)
		for (enum time_kind kind = 0; kind < TIME_KINDS; kind++)
			if (t.rows[i].is_partial[kind] && t.rows[i].ns[kind] >= 0)
				return true;
	return false;
}

static void tell_partial(struct notes *n, const struct report *r)
{
	if (!has_row(r, &r->primary, cell_is_partial) &&
	    !has_row(r, &r->derived, cell_is_partial) && !has_partial_time(r))
		return;
	notes_add(n, NOTE_PLAIN,
		  "~ marks values that leave out threads of the group, which were not "
		  "measured%s",
		  r->options->is_show || r->options->is_matched_by_tid ?
			  "" :
			  ", so a delta may be of different threads; --match tid compares "
			  "only those measured on both sides");
}

static const char *side_word(const struct report *r, enum side side)
{
	return r->options->is_show ? "snapshot" : side == BASELINE ? "baseline" : "candidate";
}

/* Counts of threads that exited during the walk are unknown. */
static void tell_vanished(struct notes *n, const struct report *r)
{

	for (enum side side = BASELINE; side < SIDES; side++) {
		const struct snapshot *s = r->pair.sides[side];

		if (s && s->parse.vanished_threads)
			notes_add(
				n, NOTE_PLAIN,
				"%llu thread%s exited while the %s was captured, and %s not in it",
				ULL(s->parse.vanished_threads),
				s->parse.vanished_threads == 1 ? "" : "s", side_word(r, side),
				s->parse.vanished_threads == 1 ? "is" : "are");
	}
}

/* Threads of hidden processes, and their CPU time, are in neither snapshot. */
static void tell_hidden(struct notes *n, const struct report *r)
{
	for (enum side side = BASELINE; side < SIDES; side++) {
		const struct snapshot *s = r->pair.sides[side];

		if (s && s->parse.is_hiding)
			notes_add(n, NOTE_PLAIN,
				  "hidepid hid processes of other users from the %s: %s",
				  side_word(r, side), needs[NEED_SYS_PTRACE].lack);
	}
}

struct headcount {
	size_t fates[FATES], renamed;
};

static bool is_renamed(const struct member *m)
{
	const struct thread_record *a = m->thread, *b = m->twin;

	return b && !b->is_kernel_thread &&
	       (!str_eq(a->comm, b->comm) || !str_eq(a->pcomm, b->pcomm));
}

static struct headcount count_heads(const struct report *r)
{
	struct headcount c = {};

	for (size_t i = 0; i < r->kept.sides[CANDIDATE].count; i++)
		c.fates[r->kept.sides[CANDIDATE].items[i].twin ? FATE_SURVIVED : FATE_BORN]++;
	for (size_t i = 0; i < r->kept.sides[BASELINE].count; i++) {
		c.fates[FATE_DIED] += !r->kept.sides[BASELINE].items[i].twin;
		c.renamed += is_renamed(&r->kept.sides[BASELINE].items[i]);
	}
	return c;
}

/* A delta mixes surviving, new and exited threads; the note names the columns for each. */
static void tell_fates(struct notes *n, const struct report *r)
{
	struct headcount c = r->kept.is_joined ? count_heads(r) : (struct headcount){};

	if (!r->options->is_matched_by_tid && c.fates[FATE_BORN] + c.fates[FATE_DIED])
		notes_add(n, NOTE_PLAIN,
			  "%zu threads are in both snapshots, %zu only in the candidate, %zu "
			  "only in the baseline; the columns survived, born and died tell their "
			  "parts of a delta apart, --match tid compares the first only",
			  c.fates[FATE_SURVIVED], c.fates[FATE_BORN], c.fates[FATE_DIED]);
	if (c.renamed)
		notes_add(n, NOTE_PLAIN,
			  "%zu thread%s renamed; they are compared under their later name",
			  c.renamed, c.renamed == 1 ? " was" : "s were");
}

static bool has_no_time(const struct cell *c)
{
	return c->is_beyond_window;
}

static void tell_beyond_window(struct notes *n, const struct report *r)
{
	if (!has_row(r, &r->primary, has_no_time) && !has_row(r, &r->derived, has_no_time))
		return;
	notes_add(n, NOTE_PLAIN,
		  "times that grew by more than threads x %.1f s have no delta: waits that "
		  "began before the baseline, or threads that it did not see",
		  r->window.seconds);
}

/* One note for both sides: it concerns the kernel, not a side. */
static void tell_impossible(struct notes *n, const struct report *r)
{
	uint64_t count = 0;

	for (enum side side = BASELINE; side < SIDES; side++)
		if (r->pair.sides[side])
			count += r->pair.sides[side]->parse.impossible_values;
	if (!count)
		return;
	notes_add(n, NOTE_PLAIN,
		  "%llu times were longer than the life of their thread allows, a fault in the "
		  "kernel's accounting, and count as not measured",
		  ULL(count));
}

/* Maximum number of groups, and of rows per group, in a note; others are only counted. */
#define NAMED_GROUPS 3
#define NAMED_ROWS 4

/*
 * Appends the decreased counters of the group whose rows start at *at; advances *at to the next
 * group.
 */
static size_t add_fallen_of(struct str *out, const struct report *r, size_t *at)
{
	uint32_t group = r->primary.rows[*at].group;
	size_t count = 0;

	for (; *at < r->primary.count && r->primary.rows[*at].group == group; (*at)++) {
		unsigned int measure = r->primary.rows[*at].measure;
		struct cell c =
			compare_cell(&r->groups.groups[group], measure, r->options, &r->window);

		if (c.has_fallen && count++ < NAMED_ROWS)
			str_addf(out, "%s %s", count > 1 ? "," : "", measure_name(measure));
	}
	if (count > NAMED_ROWS)
		str_addf(out, " and %zu more", count - NAMED_ROWS);
	return count;
}

static size_t add_fallen(struct str *out, const struct report *r)
{
	size_t groups = 0;

	for (size_t at = 0; at < r->primary.count;) {
		const struct group *g = &r->groups.groups[r->primary.rows[at].group];
		_str_ struct str rows = {};

		if (!add_fallen_of(&rows, r, &at) || groups++ >= NAMED_GROUPS)
			continue;
		str_add(out, groups > 1 ? "; " : "");
		group_add_in_words(out, g);
		str_add(out, str_get(&rows));
		out->failed |= rows.failed;
	}
	if (groups > NAMED_GROUPS)
		str_addf(out, "; and some of %zu more group%s", groups - NAMED_GROUPS,
			 groups == NAMED_GROUPS + 1 ? "" : "s");
	return groups;
}

static void tell_fallen(struct notes *n, const struct report *r)
{
	_str_ struct str text = {};

	if (r->options->is_show || !add_fallen(&text, r))
		return;
	n->failed |= text.failed;
	notes_add(n, NOTE_PLAIN,
		  "counters or peaks fell because threads that ended took theirs along: %s. Their "
		  "delta is not what was counted in between; --match tid compares only threads "
		  "that are in both snapshots",
		  str_get(&text));
}

int notes_collect(struct notes *n, const struct report *r)
{
	static const struct {
		void (*tell)(struct notes *n, const struct report *r);
		bool needs_baseline;
	} order[] = {
		{ warn_sections, false },   { tell_empty, false },    { warn_same_file, true },
		{ warn_swapped, true },	    { warn_hosts, true },     { tell_host, true },
		{ tell_fallen, false },	    { tell_partial, false },  { tell_partial_facts, false },
		{ tell_impossible, false }, { tell_fates, true },     { tell_beyond_window, true },
		{ tell_hidden, false },	    { tell_vanished, false }, { notes_add_coverage, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (r->pair.sides[BASELINE] || !order[i].needs_baseline)
			order[i].tell(n, r);
	return n->failed ? err_no_memory() : 0;
}
