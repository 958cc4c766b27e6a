// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr topo`: the topology as used by the planner. */
#include "cli/table.h"
#include "host/topology.h"

static void add_summary(struct str *out, const struct topology *t)
{
	str_addf(out, "CPUs:       %zu\n", t->cpu_count);
	str_addf(out, "LLCs:       %zu\n", t->llc_count);
	str_addf(out, "NUMA nodes: %zu\n", t->node_count);
	for (size_t i = 0; i < t->llc_count; i++) {
		const struct topology_llc *l = &t->llcs[i];

		str_addf(out, "  LLC %zu (node %u): [", i, l->node);
		for (size_t k = 0; k < l->cpu_count; k++)
			str_addf(out, "%s%u", k ? ", " : "", l->cpus[k]);
		str_add(out, "]\n");
	}
}

static void add_details(struct str *out, const struct topology *t)
{
	str_add(out, "Topology:   ");
	if (!topology_add_notation(t, out))
		str_add(out, "not regular, no notation");
	str_addc(out, '\n');
	for (size_t i = 0; i < t->node_count; i++) {
		const struct topology_node *n = &t->nodes[i];

		str_addf(out, "  node %u: %zu CPUs", n->id, n->cpu_count);
		if (n->has_memory_kib)
			str_addf(out, ", %llu MiB", ULL(n->memory_kib / 1024));
		if (t->distances) {
			str_add(out, ", distances");
			for (size_t k = 0; k < t->node_count; k++)
				str_addf(out, " %u", t->distances[i * t->node_count + k]);
		}
		str_addc(out, '\n');
	}
	str_addc(out, '\n');
}

static int add_cpus(struct sheet *s, const struct topology *t)
{
	static const struct sheet_column columns[] = {
		{ "cpu", "CPU" },
		{ "llc", "LLC" },
		{ "node", "NODE" },
		{ "core", "CORE" },
		{ "package", "PACKAGE", .absent = "?" },
	};

	sheet_begin(s, "cpus", columns);
	array_each(const struct topology_cpu, c, t->cpus, t->cpu_count)
		sheet_add(s, SHEET_U64(c->id), SHEET_U64(c->llc), SHEET_U64(c->node),
			  SHEET_U64(c->core), SHEET_U64_IF(c->package >= 0, (uint64_t)c->package));
	return sheet_end(s);
}

static void put_distances(struct json *j, const struct topology *t)
{
	if (!t->distances) {
		json_put_null(j, "distances");
		return;
	}
	json_put_array(j, "distances");
	for (size_t i = 0; i < t->node_count; i++) {
		json_array(j);
		for (size_t k = 0; k < t->node_count; k++)
			json_u64(j, t->distances[i * t->node_count + k]);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_llcs(struct json *j, const struct topology *t)
{
	json_put_array(j, "llcs");
	for (size_t i = 0; i < t->llc_count; i++) {
		const struct topology_llc *l = &t->llcs[i];

		json_object(j);
		json_put_u64(j, "index", i);
		json_put_u64(j, "node", l->node);
		json_key(j, "level");
		l->level ? json_u64(j, l->level) : json_null(j);
		json_key(j, "size_kib");
		l->size_kib ? json_u64(j, l->size_kib) : json_null(j);
		json_put_array(j, "cpus");
		for (size_t k = 0; k < l->cpu_count; k++)
			json_u64(j, l->cpus[k]);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_nodes(struct json *j, const struct topology *t)
{
	json_put_array(j, "nodes");
	for (size_t i = 0; i < t->node_count; i++) {
		json_object(j);
		json_put_u64(j, "id", t->nodes[i].id);
		json_put_u64(j, "cpu_count", t->nodes[i].cpu_count);
		json_key(j, "memory_kib");
		t->nodes[i].has_memory_kib ? json_u64(j, t->nodes[i].memory_kib) : json_null(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_topology(struct json *j, const struct topology *t)
{
	_str_ struct str notation = {};
	bool regular = topology_add_notation(t, &notation);

	json_put_string(j, "notation", regular ? str_get(&notation) : NULL);
	json_put_u64(j, "cpu_count", t->cpu_count);
	json_put_u64(j, "llc_count", t->llc_count);
	json_put_u64(j, "numa_node_count", t->node_count);
	put_llcs(j, t);
	put_nodes(j, t);
	put_distances(j, t);
}

/* A directory is a recorded tree: sysfs itself, or a directory that contains "sys". */
static int read_tree(struct topology *t, const char *dir)
{
	_free_ char *inner = str_fmt("%s/sys", dir);
	struct roots roots = roots_live;
	struct stat st;

	if (!inner)
		return err_no_memory();
	if (stat(dir, &st) < 0)
		return err_sys(errno, "open %s", dir);
	roots.sys = stat(inner, &st) == 0 ? inner : dir;
	return topology_read(t, &roots);
}

/* 0, a negative errno, or the usage status for an invalid notation. */
static int read_machine(const struct cli_call *call, struct topology *t)
{
	const char *from = cli_text(call, "from");
	struct stat st;
	int rc;

	if (!from)
		return topology_read(t, &roots_live);
	if (strchr(from, '/') || stat(from, &st) == 0)
		return read_tree(t, from);
	rc = topology_from_notation(t, from);
	return rc == -EINVAL ? cli_usage_error(call, "%s", err_text(rc)) : rc;
}

static int cmd_topo_run(const struct cli_call *call)
{
	_topology_ struct topology t = {};
	bool is_verbose = cli_flag(call, "verbose");
	struct printout o;
	int rc = read_machine(call, &t);

	if (rc != 0)
		return rc;
	output_document(&o, call);
	if (o.is_json)
		put_topology(&o.json, &t);
	else
		add_summary(&o.text, &t);
	if (!o.is_json && is_verbose)
		add_details(&o.text, &t);
	if (o.is_json || is_verbose)
		rc = add_cpus(&o.sheet, &t);
	return output_end(&o, rc);
}

/* clang-format off */
const struct cli_cmd cmd_topo = {
	.name = "topo", .summary = "show the CPU topology of this machine",
	.about = "Shows the CPUs, last-level caches (LLCs) and NUMA nodes of this machine: the "
		 "view that the planner and performance mode use.",
	.params = CLI_PARAMS(
		CLI_JSON,
		{ .name = "from", .kind = CLI_DIR, .value = "MACHINE",
		  .help = "show another machine: a directory with a recorded sysfs tree, or a "
			  "topology such as 1n4l8c2t (nodes, LLCs in total, cores per LLC, "
			  "threads)" }),
	.examples = CLI_EXAMPLES(
		{ "topo", "the LLCs of this machine and their CPUs" },
		{ "topo --verbose", "with the short notation, one line per CPU and NUMA distances" },
		{ "topo --from 2n4l8c2t --json", "a machine given by its topology" }),
	.run = cmd_topo_run,
};
/* clang-format on */
