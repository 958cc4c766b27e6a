// SPDX-License-Identifier: GPL-2.0-only
/* Describes the resolved declarations for the runner. */
#include "program/parts.h"

#include "program/protocol.h"

/* A failed allocation makes the document incomplete; it is reported once, at the end. */
struct describing {
	struct arena *arena;
	bool failed_alloc;
};

static void *get(struct describing *d, size_t count, size_t size)
{
	void *memory = arena_alloc(d->arena, count ? count * size : 1);

	if (!memory)
		d->failed_alloc = true;
	return memory;
}

/* Copies a list unchanged. */
static size_t copy_items(struct describing *d, void **items, const void *from, size_t count,
			 size_t size)
{
	*items = get(d, count, size);
	if (*items && count)
		memcpy(*items, from, count * size);
	return *items ? count : 0;
}

#define COPY_ITEMS(d, to, from, n) \
	((to)->count = copy_items(d, (void **)&(to)->items, from, n, sizeof(*(to)->items)))

static struct probe_texts texts(struct describing *d, const char *const *list)
{
	struct probe_texts out = {};
	size_t count = 0;

	while (list && list[count])
		count++;
	COPY_ITEMS(d, &out, list, count);
	return out;
}

static const char *keep(struct describing *d, const struct str *text)
{
	const char *copy = arena_copy(d->arena, str_get(text), text->len);

	if (!copy || text->failed)
		d->failed_alloc = true;
	return copy;
}

void add_topology_notation(struct str *out, const struct ktstr_topology *t)
{
	str_addf(out, "%un%ul%uc%ut", t->numa_nodes, t->llcs, t->cores, t->threads);
}

static struct probe_nodes nodes_of(struct describing *d, const struct ktstr_node *nodes)
{
	struct probe_nodes out = {};

	COPY_ITEMS(d, &out, nodes, node_count(nodes));
	return out;
}

/* ---- schedulers ---- */

static void describe_flags(struct describing *d, struct probe_sched *out,
			   const struct ktstr_flag *flags)
{
	size_t count = 0;

	while (flags && flags[count].name)
		count++;
	out->flags.items = get(d, count, sizeof(*out->flags.items));
	out->flags.count = out->flags.items ? count : 0;
	for (size_t i = 0; i < out->flags.count; i++)
		out->flags.items[i] = (struct probe_flag){
			.name = flags[i].name,
			.args = texts(d, flags[i].args),
			.requires_flags = texts(d, flags[i].requires_flags),
		};
}

static void describe_sysctls(struct describing *d, struct probe_sched *out,
			     const struct ktstr_sysctl *sysctls)
{
	size_t count = 0;

	while (sysctls && sysctls[count].key)
		count++;
	COPY_ITEMS(d, &out->sysctls, sysctls, count);
}

static void describe_sched(struct describing *d, struct probe_sched *out,
			   const struct ktstr_sched *s)
{
	struct ktstr_topology topology = sched_topology(s);
	_str_ struct str notation = {};

	add_topology_notation(&notation, &topology);
	*out = (struct probe_sched){
		.name = s->name ? s->name : "",
		.binary = s->binary,
		.binary_path = s->binary_path,
		.kernel_builtin_enable = s->kernel_builtin_enable,
		.kernel_builtin_disable = s->kernel_builtin_disable,
		.topology = keep(d, &notation),
		.nodes = nodes_of(d, s->nodes),
		.args = texts(d, s->sched_args),
		.kargs = texts(d, s->kargs),
		.invariants = texts(d, s->invariants),
		.cgroup_parent = s->cgroup_parent,
		.config_file = s->config_file,
		.config_file_def = texts(d, s->config_file_def),
		.kernels = texts(d, s->kernels),
		.constraints = sched_constraints(s),
	};
	describe_flags(d, out, s->flags);
	describe_sysctls(d, out, s->sysctls);
}

/* ---- tests ---- */

static void describe_payload(struct describing *d, struct probe_payload *out,
			     const struct ktstr_payload *payload)
{
	static const char *const outputs[] = {
		[KTSTR_OUT_EXIT] = "exit",
		[KTSTR_OUT_JSON] = "json",
		[KTSTR_OUT_LLM] = "llm",
		[KTSTR_OUT_TEXT] = "text",
	};

	*out = (struct probe_payload){
		.name = payload->name ? payload->name : payload->binary,
		.binary = payload->binary,
		.output = payload->output < ARRAY_SIZE(outputs) ? outputs[payload->output] : NULL,
		.include_files = texts(d, payload->include_files),
	};
}

static void describe_payloads(struct describing *d, struct probe_test *out,
			      const struct ktstr_test *t)
{
	size_t count = t->payload ? 1 : 0, at = 0;

	for (size_t i = 0; t->workloads && t->workloads[i]; i++)
		count++;
	out->payloads.items = get(d, count, sizeof(*out->payloads.items));
	out->payloads.count = out->payloads.items ? count : 0;
	if (!out->payloads.items)
		return;
	if (t->payload)
		describe_payload(d, &out->payloads.items[at++], t->payload);
	for (size_t i = 0; at < count; i++)
		describe_payload(d, &out->payloads.items[at++], t->workloads[i]);
}

static struct probe_numbers distances_of(struct describing *d, const struct ktstr_test *t,
					 uint32_t nodes)
{
	struct probe_numbers out = { .count = t->distances ? (size_t)nodes * nodes : 0 };

	out.items = get(d, out.count, sizeof(*out.items));
	if (!out.items)
		out.count = 0;
	for (size_t i = 0; i < out.count; i++)
		out.items[i] = t->distances[i];
	return out;
}

static void describe_perf_deltas(struct describing *d, struct probe_test *out,
				 const struct ktstr_perf_delta *a)
{
	size_t count = 0;

	while (a && a[count].metric)
		count++;
	COPY_ITEMS(d, &out->perf_delta_assertions, a, count);
}

static void describe_test(struct describing *d, struct probe_test *out, const struct ktstr_test *t)
{
	struct ktstr_topology topology = test_topology(t);
	size_t ignored;

	*out = (struct probe_test){
		.name = t->name ? t->name : "",
		.file = t->file,
		.line = t->line > 0 ? (uint64_t)t->line : 0,
		.scheduler = t->scheduler ? t->scheduler->name : NULL,
		.topology = topology,
		.nodes = nodes_of(d, test_nodes(t, &ignored)),
		.distances = distances_of(d, t, topology.numa_nodes),
		.memory_mib = t->memory_mib ? t->memory_mib : TEST_MEMORY_MIB,
		.duration_ms = test_duration_ms(t),
		.watchdog_timeout_s = t->watchdog_timeout_s ? t->watchdog_timeout_s :
							      TEST_WATCHDOG_S,
		.attach_timeout_s = t->attach_timeout_s,
		.return_timeout_s = t->return_timeout_s,
		.workers_per_cgroup = t->workers_per_cgroup ? t->workers_per_cgroup : TEST_WORKERS,
		.extra_sched_args = texts(d, t->extra_sched_args),
		.include_files = texts(d, t->extra_include_files),
		.assert = test_assert(t),
		.constraints = test_constraints(t),
		.required_flags = texts(d, t->required_flags),
		.excluded_flags = texts(d, t->excluded_flags),
		/* An expected error needs no reproduction. */
		.auto_repro = t->auto_repro != KTSTR_OFF && !t->expect_err,
		.performance_mode = t->performance_mode,
		.no_perf_mode = t->no_perf_mode,
		.cpu_budget = t->cpu_budget,
		.expect_err = t->expect_err,
		.expect_scx_bpf_error_contains = t->expect_scx_bpf_error_contains,
		.expect_scx_bpf_error_matches = t->expect_scx_bpf_error_matches,
		.host_only = t->host_only,
		.ignore = test_is_ignored(t),
		.allow_inconclusive = t->allow_inconclusive,
		.cleanup_budget_ms = t->cleanup_budget_ms,
		.num_snapshots = t->num_snapshots,
		.watch_snapshots = texts(d, t->watch_snapshots),
		.bpf_map_write = texts(d, t->bpf_map_write),
		.has_post_vm = t->post_vm != NULL,
		.has_post_vm_unconditional = t->post_vm_unconditional != NULL,
		.versus = t->versus == KTSTR_EEVDF ? "eevdf" : NULL,
		.offline_cpus = t->offline_cpus,
		.accel = t->accel,
		.seed = t->seed,
		.strategy = t->strategy,
		.observe = t->observe != KTSTR_OFF,
		.is_release = t->is_release,
	};
	describe_payloads(d, out, t);
	describe_perf_deltas(d, out, t->perf_delta_assertions);
}

/* ---- all ---- */

/* A scheduler that a test uses but that is not in the section was declared without the macro. */
static bool is_listed(const struct program_entries *e, size_t tests, const struct ktstr_sched *s)
{
	for (size_t i = 0; i < e->sched_count; i++)
		if (e->scheds[i] == s)
			return true;
	for (size_t i = 0; i < tests; i++)
		if (e->tests[i]->scheduler == s)
			return true;
	return false;
}

static void describe_scheds(struct describing *d, struct probe *p, const struct program_entries *e)
{
	size_t count = 0;

	p->schedulers.items = get(d, e->sched_count + e->test_count, sizeof(*p->schedulers.items));
	if (!p->schedulers.items)
		return;
	for (size_t i = 0; i < e->sched_count; i++)
		describe_sched(d, &p->schedulers.items[count++], e->scheds[i]);
	for (size_t i = 0; i < e->test_count; i++) {
		const struct ktstr_sched *s = e->tests[i]->scheduler;

		if (s && !is_listed(e, i, s))
			describe_sched(d, &p->schedulers.items[count++], s);
	}
	p->schedulers.count = count;
}

static void describe_problems(struct describing *d, struct probe *p,
			      const struct program_entries *e)
{
	_cleanup_(problems_finish) struct problems found = {};

	problems_find(&found, e);
	d->failed_alloc |= found.failed_alloc;
	p->problems.items = get(d, found.sentences.count, sizeof(*p->problems.items));
	if (!p->problems.items)
		return;
	p->problems.count = found.sentences.count;
	for (size_t i = 0; i < found.sentences.count; i++) {
		const char *sentence = found.sentences.items[i];

		p->problems.items[i] = arena_copy(d->arena, sentence, strlen(sentence));
		d->failed_alloc |= !p->problems.items[i];
	}
}

int describe_program(struct probe *p, const struct program_entries *e)
{
	struct describing d = { .arena = &p->arena };

	*p = (struct probe){ .schema_version = PROGRAM_PROBE_SCHEMA, .ktstr = ktstr_version() };
	describe_scheds(&d, p, e);
	describe_problems(&d, p, e);
	p->tests.items = get(&d, e->test_count, sizeof(*p->tests.items));
	p->tests.count = p->tests.items ? e->test_count : 0;
	for (size_t i = 0; i < p->tests.count; i++)
		describe_test(&d, &p->tests.items[i], e->tests[i]);
	return d.failed_alloc ? err_no_memory() : 0;
}
