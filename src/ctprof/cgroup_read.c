// SPDX-License-Identifier: GPL-2.0-only
/* Reading cgroups: a table of files, each with the field that it fills. */
#include "ctprof/proc_parse.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "ctprof/procfs_view.h"

#define DEFAULT_PERIOD_US 100000

enum max_meaning {
	MAX_IS_UNKNOWN, /* a limit: "max" is none */
	MAX_IS_LARGEST, /* a floor: "max" protects everything */
};

static const struct {
	const char *file;
	size_t offset;
	enum max_meaning max;
} numbers[] = {
	{ "cpu.weight", offsetof(struct cgroup_record, cpu_weight), MAX_IS_UNKNOWN },
	{ "memory.current", offsetof(struct cgroup_record, memory_current), MAX_IS_UNKNOWN },
	{ "memory.max", offsetof(struct cgroup_record, memory_max), MAX_IS_UNKNOWN },
	{ "memory.high", offsetof(struct cgroup_record, memory_high), MAX_IS_UNKNOWN },
	{ "memory.low", offsetof(struct cgroup_record, memory_low), MAX_IS_LARGEST },
	{ "memory.min", offsetof(struct cgroup_record, memory_min), MAX_IS_LARGEST },
	{ "memory.peak", offsetof(struct cgroup_record, memory_peak), MAX_IS_UNKNOWN },
	{ "memory.swap.current", offsetof(struct cgroup_record, memory_swap_current),
	  MAX_IS_UNKNOWN },
	{ "pids.current", offsetof(struct cgroup_record, pids_current), MAX_IS_UNKNOWN },
	{ "pids.max", offsetof(struct cgroup_record, pids_max), MAX_IS_UNKNOWN },
	{ "pids.peak", offsetof(struct cgroup_record, pids_peak), MAX_IS_UNKNOWN },
};

static struct opt_u64 read_number(const char *dir, const char *file, enum max_meaning max)
{
	_str_ struct str text = {};
	struct opt_u64 v = {};

	if (root_read_line(dir, &text, "%s", file) < 0)
		return v;
	if (str_eq(str_get(&text), "max"))
		return max == MAX_IS_LARGEST ? (struct opt_u64){ true, UINT64_MAX } : v;
	v.is_known = parse_u64(str_get(&text), &v.value) == 0;
	return v;
}

/* "max 100000" or "50000 100000". */
static void read_cpu_max(const char *dir, struct cgroup_record *out)
{
	_str_ struct str text = {};
	const char *p;

	if (root_read_line(dir, &text, "cpu.max") < 0)
		return;
	p = str_get(&text);
	if (str_starts(p, "max"))
		p += 3;
	else
		out->cpu_quota_us.is_known = parse_digits(&p, &out->cpu_quota_us.value) == 0;
	p += strspn(p, " ");
	if (parse_digits(&p, &out->cpu_period_us.value) < 0)
		out->cpu_period_us.value = DEFAULT_PERIOD_US;
	out->cpu_period_us.is_known = true;
}

static void read_weight_nice(const char *dir, struct cgroup_record *out)
{
	_str_ struct str text = {};

	out->has_weight_nice = root_read_line(dir, &text, "cpu.weight.nice") == 0 &&
			       parse_i64(str_get(&text), &out->cpu_weight_nice) == 0;
}

static int read_flat(const char *dir, const char *file, struct arena *arena, struct named_list *out)
{
	_str_ struct str text = {};

	if (root_read(dir, &text, "%s", file) < 0 || text.len == 0)
		return 0;
	return proc_parse_flat(str_get(&text), text.len, arena, out);
}

static struct opt_u64 find_named(const struct named_list *list, const char *name)
{
	const struct named_u64 *found = named_list_find(list, name, 0);

	return found ? (struct opt_u64){ true, found->value } : (struct opt_u64){};
}

static int read_cpu_stat(const char *dir, struct arena *arena, struct cgroup_record *out)
{
	struct named_list list = {};
	int rc = read_flat(dir, "cpu.stat", arena, &list);

	out->usage_usec = find_named(&list, "usage_usec");
	out->nr_throttled = find_named(&list, "nr_throttled");
	out->throttled_usec = find_named(&list, "throttled_usec");
	return rc;
}

/* Unlike other files it may be empty: no device has done any I/O. */
static int read_io_stat(const char *dir, struct arena *arena, struct cgroup_record *out)
{
	_str_ struct str text = {};
	int rc;

	if (root_read(dir, &text, "io.stat") < 0)
		return 0;
	rc = proc_parse_io_stat(str_get(&text), text.len, arena, &out->io_stat);
	return rc == -ENOMEM ? rc : 0;
}

/* Paths outside of our cgroup namespace begin with "/../". */
static bool is_below_root(const char *path)
{
	return path[0] == '/' && !strstr(path, "/../") && !str_eq(path, "/..");
}

int cgroup_record_read(const char *root, const char *path, struct arena *arena,
		       struct cgroup_record *out)
{
	_free_ char *dir = str_fmt("%s%s", root, path);
	int rc;

	if (!dir)
		return err_no_memory();
	if (!is_below_root(path))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		*(struct opt_u64 *)((char *)out + numbers[i].offset) =
			read_number(dir, numbers[i].file, numbers[i].max);
	read_cpu_max(dir, out);
	read_weight_nice(dir, out);
	psi_read(dir, "", ".pressure", &out->psi);
	rc = read_cpu_stat(dir, arena, out);
	rc = rc ?: read_flat(dir, "memory.stat", arena, &out->memory_stat);
	rc = rc ?: read_flat(dir, "memory.events", arena, &out->memory_events);
	rc = rc ?: read_io_stat(dir, arena, out);
	return rc < 0 ? err_no_memory() : 0;
}

/* The root has no cgroup.type; threaded children may have threads of its processes. */
static bool has_threaded_child(const char *root)
{
	_closedir_ DIR *dir = opendir(root);
	struct dirent *entry;
	bool is_found = !dir;

	while (!is_found && (entry = readdir(dir))) {
		_str_ struct str type = {};

		is_found = *entry->d_name != '.' &&
			   root_read_line(root, &type, "%s/cgroup.type", entry->d_name) == 0 &&
			   str_eq(str_get(&type), "threaded");
	}
	return is_found;
}

bool cgroup_keeps_together(const char *root, const char *path)
{
	_free_ char *dir = str_fmt("%s%s", root, path);
	_str_ struct str type = {};

	if (!dir || !is_below_root(path))
		return false;
	if (root_read_line(dir, &type, "cgroup.type") == 0)
		return str_eq(str_get(&type), "domain");
	return str_eq(path, "/") && !has_threaded_child(root);
}

void psi_read(const char *base, const char *prefix, const char *suffix, struct psi *out)
{
	for (size_t i = 0; i < PSI_RESOURCES; i++) {
		_str_ struct str text = {};

		if (root_read(base, &text, "%s%s%s", prefix, psi_resource_names[i], suffix) == 0)
			proc_parse_psi(str_get(&text), text.len, &out->resources[i].some,
				       &out->resources[i].full);
	}
}

bool psi_is_known(const struct psi *psi)
{
	for (size_t i = 0; i < PSI_RESOURCES; i++)
		if (psi->resources[i].some.is_known || psi->resources[i].full.is_known)
			return true;
	return false;
}

bool cgroup_is_v2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

const char *cgroup_find_root(const struct roots *roots, struct arena *arena)
{
	_str_ struct str point = {};
	const char *copy = NULL;

	if (!cgroup_is_v2(roots->cgroup) && procfs_find_cgroup2(roots->proc, "self", &point))
		copy = arena_copy(arena, str_get(&point), point.len);
	return copy ? copy : roots->cgroup;
}

static const char *read_word(const char *base, const char *name, struct arena *arena)
{
	_str_ struct str text = {};

	if (root_read_line(base, &text, "kernel/sched_ext/%s", name) < 0)
		return NULL;
	return arena_copy(arena, str_get(&text), text.len);
}

bool sched_ext_read(const char *sys, struct arena *arena, struct sched_ext_record *out)
{
	const struct {
		const char *file;
		struct opt_u64 *value;
	} files[] = {
		{ "switch_all", &out->switch_all },
		{ "nr_rejected", &out->nr_rejected },
		{ "hotplug_seq", &out->hotplug_seq },
		{ "enable_seq", &out->enable_seq },
	};
	bool is_there;

	out->state = read_word(sys, "state", arena);
	out->ops = read_word(sys, "root/ops", arena);
	is_there = out->state != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		files[i].value->is_known = root_read_u64(sys, &files[i].value->value,
							 "kernel/sched_ext/%s", files[i].file) == 0;
		is_there |= files[i].value->is_known;
	}
	return is_there;
}
