// SPDX-License-Identifier: GPL-2.0-only
/* Reads the host context, and defines the table of its fields that both outputs use. */
#include "host/context.h"

#include <malloc.h>
#include <sys/utsname.h>

#include "host/topology.h"

static const struct json_field pair_fields[] = { JSON_FIELD(host_pair, value, TEXT), {} };

/* clang-format off */
#define TEXT(member) JSON_FIELD(host_context, member, TEXT, .flags = FIELD_LEFT_OUT)
#define NUMBER(member) JSON_NUMBER(host_context, member, U64, .flags = FIELD_LEFT_OUT)
#define PAIRS(member) \
	JSON_FIELD(host_context, member, MAP, JSON_HAS(host_context, member.is_known), \
		   .fields = pair_fields, .size = sizeof(struct host_pair), .flags = FIELD_LEFT_OUT)

/* In the order of show-host. */
const struct json_field host_context_fields[] = {
	TEXT(kernel_name),
	TEXT(kernel_release),
	TEXT(arch),
	TEXT(cpu_model),
	TEXT(cpu_vendor),
	NUMBER(total_memory_kb),
	NUMBER(hugepages_total),
	NUMBER(hugepages_free),
	NUMBER(hugepages_size_kb),
	NUMBER(online_cpus),
	NUMBER(numa_nodes),
	PAIRS(numa_layout),
	TEXT(thp_enabled),
	TEXT(thp_defrag),
	TEXT(kernel_cmdline),
	PAIRS(cpufreq_governor),
	PAIRS(sched_tunables),
	TEXT(heap_state),
	{}
};
/* clang-format on */

char *host_line_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line;) {
		const char *end = strchr(line, '\n');
		const char *p = line + len;

		if (strncmp(line, key, len) == 0) {
			p += strspn(p, " \t");
			if (*p == ':') {
				p++;
				p += strspn(p, " \t");
				return strndup(p, strcspn(p, "\n"));
			}
		}
		line = end ? end + 1 : NULL;
	}
	return NULL;
}

static struct host_number line_number(const char *text, const char *key)
{
	_free_ char *value = host_line_value(text, key);
	struct host_number n = {};
	const char *p = value;

	n.is_known = p && parse_digits(&p, &n.value) == 0;
	return n;
}

static char *read_line(const char *base, const char *name)
{
	_str_ struct str text = {};

	return root_read_line(base, &text, "%s", name) < 0 ? NULL : str_take(&text);
}

static void read_cpuinfo(struct host_context *h, const struct roots *roots)
{
	static const char *const model_keys[] = { "model name", "Model", "cpu model", "cpu" };
	static const char *const vendor_keys[] = { "vendor_id", "CPU implementer" };
	_str_ struct str text = {};

	if (root_read(roots->proc, &text, "cpuinfo") < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(model_keys) && !h->cpu_model; i++)
		h->cpu_model = host_line_value(str_get(&text), model_keys[i]);
	for (size_t i = 0; i < ARRAY_SIZE(vendor_keys) && !h->cpu_vendor; i++)
		h->cpu_vendor = host_line_value(str_get(&text), vendor_keys[i]);
}

static void read_meminfo(struct host_context *h, const struct roots *roots)
{
	_str_ struct str text = {};

	if (root_read(roots->proc, &text, "meminfo") < 0)
		return;
	h->total_memory_kb = line_number(str_get(&text), "MemTotal");
	h->hugepages_total = line_number(str_get(&text), "HugePages_Total");
	h->hugepages_free = line_number(str_get(&text), "HugePages_Free");
	h->hugepages_size_kb = line_number(str_get(&text), "Hugepagesize");
}

/* "always [madvise] never": returns the bracketed word. */
static char *bracketed(char *line)
{
	char *open = line ? strchr(line, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;
	char *word = close ? strndup(open + 1, (size_t)(close - open - 1)) : NULL;

	if (!word)
		return line;
	free(line);
	return word;
}

/* Takes ownership of the value, also on errors. */
static int add_pair(struct host_pairs *pairs, const char *key, char *value)
{
	struct host_pair pair = { .key = strdup(key), .value = value };
	int rc = pair.key ? vec_push(pairs, pair) : err_no_memory();

	if (rc < 0) {
		free(pair.key);
		free(pair.value);
	}
	return rc;
}

static int read_tunables(struct host_context *h, const struct roots *roots)
{
	_free_ char *path = str_fmt("%s/sys/kernel", roots->proc);
	_closedir_ DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;

	if (!dir)
		return 0;
	h->sched_tunables.is_known = true;
	while ((entry = readdir(dir))) {
		char *value;
		int rc;

		if (!str_starts(entry->d_name, "sched_"))
			continue;
		value = read_line(path, entry->d_name);
		if (!value) /* a directory, or not readable */
			continue;
		rc = add_pair(&h->sched_tunables, entry->d_name, value);
		if (rc < 0)
			return rc;
	}
	vec_sort(&h->sched_tunables, order_texts);
	return 0;
}

/* "CPUs 0-7, 16052 MiB, distances 10 20" */
static char *node_text(const struct topology *t, size_t index)
{
	const struct topology_node *n = &t->nodes[index];
	_free_ unsigned int *cpus = calloc(t->cpu_count + 1, sizeof(*cpus));
	_str_ struct str text = {};
	size_t count = 0;

	if (!cpus)
		return NULL;
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i].node == n->id)
			cpus[count++] = t->cpus[i].id;
	str_add(&text, count ? "CPUs " : "no CPUs");
	cpulist_format(cpus, count, &text);
	if (n->has_memory_kib)
		str_addf(&text, ", %llu MiB", ULL(n->memory_kib / 1024));
	if (t->distances)
		str_add(&text, ", distances");
	for (size_t k = 0; t->distances && k < t->node_count; k++)
		str_addf(&text, " %u", t->distances[index * t->node_count + k]);
	return str_check(&text) < 0 ? NULL : str_take(&text);
}

static int read_nodes(struct host_context *h, const struct topology *t)
{
	int rc = 0;

	h->numa_nodes = (struct host_number){ true, t->node_count };
	h->numa_layout.is_known = true;
	for (size_t i = 0; i < t->node_count && rc == 0; i++) {
		char *text = node_text(t, i);
		char name[32];

		snprintf(name, sizeof(name), "node%u", t->nodes[i].id);
		rc = text ? add_pair(&h->numa_layout, name, text) : err_no_memory();
	}
	return rc;
}

static int read_topology(struct host_context *h, const struct roots *roots)
{
	_topology_ struct topology t;
	int rc = topology_read(&t, roots);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return 0;
	h->online_cpus = (struct host_number){ true, t.cpu_count };
	rc = read_nodes(h, &t);
	h->cpufreq_governor.is_known = true;
	for (size_t i = 0; i < t.cpu_count && rc == 0; i++) {
		char name[96];
		char *governor;

		snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/cpufreq/scaling_governor",
			 t.cpus[i].id);
		governor = read_line(roots->sys, name);
		if (!governor)
			continue;
		snprintf(name, sizeof(name), "cpu%u", t.cpus[i].id);
		rc = add_pair(&h->cpufreq_governor, name, governor);
	}
	return rc;
}

/* A recorded tree says nothing about the running kernel; it may have its own release. */
static void read_kernel(struct host_context *h, const struct roots *roots)
{
	struct utsname u;

	h->kernel_name = read_line(roots->proc, "sys/kernel/ostype");
	h->kernel_release = read_line(roots->proc, "sys/kernel/osrelease");
	h->kernel_cmdline = read_line(roots->proc, "cmdline");
	h->arch = read_line(roots->proc, "sys/kernel/arch");
	if (!h->arch && roots_is_live(roots) && uname(&u) == 0)
		h->arch = strdup(u.machine);
}

static void read_heap(struct host_context *h)
{
	struct mallinfo2 m = mallinfo2();

	h->heap_state =
		str_fmt("glibc arena=%zu in_use=%zu mmapped=%zu", m.arena, m.uordblks, m.hblkhd);
}

int host_context_read(struct host_context *h, const struct roots *roots)
{
	int rc;

	*h = (struct host_context){};
	read_kernel(h, roots);
	read_cpuinfo(h, roots);
	read_meminfo(h, roots);
	h->thp_enabled = bracketed(read_line(roots->sys, "kernel/mm/transparent_hugepage/enabled"));
	h->thp_defrag = bracketed(read_line(roots->sys, "kernel/mm/transparent_hugepage/defrag"));
	if (roots_is_live(roots))
		read_heap(h);
	rc = read_tunables(h, roots) ?: read_topology(h, roots);
	if (rc < 0)
		host_context_finish(h);
	return rc;
}

void host_context_put_fields(const struct host_context *h, struct json *j)
{
	json_put_fields(j, host_context_fields, h);
}

void host_context_to_json(const struct host_context *h, struct json *j)
{
	json_put_struct(j, host_context_fields, h);
}

int host_context_load(struct host_context *h, struct json_reader *r)
{
	struct json_load l = { .r = r };

	json_load_fields(&l, host_context_fields, h);
	return l.is_out_of_memory ? err_no_memory() : 0;
}

void host_field_add(const struct host_context *h, const struct json_field *f, struct str *out)
{
	const void *member = (const char *)h + f->offset;

	if (f->has && !*(const bool *)((const char *)h + f->has - 1))
		str_add(out, "(unknown)");
	else if (f->kind == FIELD_U64)
		str_addf(out, "%llu", ULL(*(const uint64_t *)member));
	else
		text_add_printable(out,
				   *(char *const *)member ? *(char *const *)member : "(unknown)");
}

static void pairs_to_text(const struct host_pairs *pairs, struct str *out)
{
	if (!pairs->is_known || pairs->count == 0)
		str_add(out, pairs->is_known ? " (empty)" : " (unknown)");
	for (size_t i = 0; i < pairs->count; i++) {
		str_addf(out, "\n  %s = ", pairs->items[i].key);
		text_add_printable(out, pairs->items[i].value);
	}
}

void host_context_to_text(const struct host_context *h, struct str *out)
{
	for (const struct json_field *f = host_context_fields; f->name; f++) {
		const void *member = (const char *)h + f->offset;

		str_addf(out, "%s:", f->name);
		if (f->kind == FIELD_MAP) {
			pairs_to_text(member, out);
		} else if (f->kind == FIELD_TEXT && *(char *const *)member &&
			   !**(char *const *)member) {
			str_add(out, " (empty)");
		} else {
			str_addc(out, ' ');
			host_field_add(h, f, out);
		}
		str_addc(out, '\n');
	}
}

void host_context_finish(struct host_context *h)
{
	json_free_fields(host_context_fields, h);
	*h = (struct host_context){};
}
