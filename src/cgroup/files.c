// SPDX-License-Identifier: GPL-2.0-only
/* The control files of one cgroup. */
#include "cgroup/parts.h"

#define FREEZE_POLL_NS NSEC_PER_MSEC

/* A missing file means that the controller is not enabled, or not built. */
static int no_file(const struct cgroup_manager *m, const char *name, const char *file)
{
	int len = (int)strcspn(file, ".");

	if (!cgroup_exists(m, name))
		return err_set(ENOENT, "there is no cgroup '%s'", name);
	if (m->without_cpu && strncmp(file, "cpu.", 4) == 0)
		return err_set(ENOENT,
			       "cgroup '%s' has no %s: this run leaves the cpu controller off "
			       "(flag no-ctrl)",
			       name, file);
	return err_set(ENOENT,
		       "cgroup '%s' has no %s: the %.*s controller is not enabled for it (a level "
		       "above has tasks of its own), or the kernel was built without",
		       name, file, len, file);
}

int cgroup_write(struct cgroup_manager *m, const char *name, const char *file, const char *value)
{
	_free_ char *dir = cgroup_path(m, name);
	_free_ char *path = dir ? str_fmt("%s/%s", dir, file) : NULL;
	_free_ char *what = str_fmt("write '%.*s' to", (int)strcspn(value, "\n"), value);
	int rc;

	if (!path || !what)
		return err_no_memory();
	rc = control_write(path, value);
	if (rc == -ENOENT)
		return no_file(m, name, file);
	return rc < 0 ? cgroup_error(-rc, what, path) : 0;
}

int cgroup_read(struct cgroup_manager *m, const char *name, const char *file, struct str *out)
{
	_free_ char *dir = cgroup_path(m, name);
	int rc;

	if (!dir)
		return err_no_memory();
	rc = root_read(dir, out, "%s", file);
	if (rc == -ENOENT)
		return no_file(m, name, file);
	if (rc < 0)
		return err_sys(-rc, "read %s/%s", dir, file);
	str_trim_end(out);
	return str_check(out);
}

int cgroup_set_cpuset(struct cgroup_manager *m, const char *name, const char *cpus)
{
	return cgroup_write(m, name, "cpuset.cpus", cpus);
}

/* Writes the parent's effective CPUs, which a cgroup without a cpuset has. */
static int inherit_cpuset(struct cgroup_manager *m, const char *name)
{
	const char *slash = strrchr(name, '/');
	_free_ char *above = str_fmt("%.*s", slash ? (int)(slash - name) : 0, name);
	_str_ struct str cpus = {};
	int rc;

	if (!above)
		return err_no_memory();
	rc = cgroup_read(m, above, "cpuset.cpus.effective", &cpus);
	return rc ?: cgroup_set_cpuset(m, name, str_get(&cpus));
}

/*
 * Writes an empty line: an empty write would not reach the kernel's handler. Kernels before
 * 7.0 refuse it while the cgroup has tasks.
 */
int cgroup_clear_cpuset(struct cgroup_manager *m, const char *name)
{
	int rc = cgroup_write(m, name, "cpuset.cpus", "\n");

	return rc == -ENOSPC ? inherit_cpuset(m, name) : rc;
}

int cgroup_set_mems(struct cgroup_manager *m, const char *name, const char *nodes)
{
	return cgroup_write(m, name, "cpuset.mems", nodes);
}

int cgroup_set_cpu_max(struct cgroup_manager *m, const char *name, const char *text)
{
	return cgroup_write(m, name, "cpu.max", text);
}

static int write_number(struct cgroup_manager *m, const char *name, const char *file, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	return cgroup_write(m, name, file, text);
}

int cgroup_set_cpu_weight(struct cgroup_manager *m, const char *name, int64_t weight)
{
	if (weight < 1 || weight > 10000)
		return err_set(EINVAL, "cgroup '%s': cpu.weight is 1 to 10000, not %lld", name,
			       (long long)weight);
	return write_number(m, name, "cpu.weight", weight);
}

int cgroup_set_uclamp(struct cgroup_manager *m, const char *name, int64_t min, int64_t max)
{
	int rc;

	if (min < 0 || max < 0 || min > 100 || max > 100 || (max && min > max))
		return err_set(EINVAL,
			       "cgroup '%s': uclamp is in percent, and its minimum (%lld) not "
			       "above its maximum (%lld)",
			       name, (long long)min, (long long)max);
	rc = write_number(m, name, "cpu.uclamp.min", min);
	return rc < 0 || !max ? rc : write_number(m, name, "cpu.uclamp.max", max);
}

int cgroup_set_memory(struct cgroup_manager *m, const char *name, const char *file,
		      const char *value)
{
	int rc = cgroup_enable(m, name, "memory");

	return rc < 0 ? rc : cgroup_write(m, name, file, value);
}

int cgroup_set_pids_max(struct cgroup_manager *m, const char *name, uint32_t max)
{
	int rc = cgroup_enable(m, name, "pids");

	return rc < 0 ? rc : write_number(m, name, "pids.max", max);
}

static int wait_frozen(struct cgroup_manager *m, const char *name, const char *wanted)
{
	uint64_t until = clock_mono_ns() + CGROUP_LIMIT_MS * NSEC_PER_MSEC;

	for (;;) {
		_str_ struct str events = {};
		int rc = cgroup_read(m, name, "cgroup.events", &events);

		if (rc < 0 || strstr(str_get(&events), wanted))
			return rc;
		if (clock_mono_ns() > until)
			return err_set(ETIMEDOUT,
				       "cgroup '%s': no '%s' in cgroup.events within %d s", name,
				       wanted, CGROUP_LIMIT_MS / 1000);
		clock_sleep_ns(FREEZE_POLL_NS);
	}
}

int cgroup_freeze(struct cgroup_manager *m, const char *name)
{
	return cgroup_write(m, name, "cgroup.freeze", "1") ?: wait_frozen(m, name, "frozen 1");
}

int cgroup_unfreeze(struct cgroup_manager *m, const char *name)
{
	return cgroup_write(m, name, "cgroup.freeze", "0") ?: wait_frozen(m, name, "frozen 0");
}
