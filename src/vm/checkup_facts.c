// SPDX-License-Identifier: GPL-2.0-only
/* Collects facts about the host: programs, devices, directories, limits. */
#include <linux/capability.h>
#include <sys/statvfs.h>

#include "host/lock_holders.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "kernel/build.h"
#include "kernel/cache.h"
#include "vm/checkup.h"
#include "vm/initramfs_plan.h"

#define VERSION_LIMIT_NS (10 * NSEC_PER_SEC)

static const char *const build_tools[] = { "make", "gcc", "flex", "bison", "bc", "perl" };

/* NULL if rc is 0, else a copy of the error message. */
static char *sentence(int rc)
{
	return rc < 0 ? strdup(err_text(rc)) : NULL;
}

static void look_at_qemu(struct checkup_facts *f)
{
	f->arch = vm_arch_host();
	f->qemu_error = sentence(vm_qemu_find(f->arch, &f->qemu));
	if (!f->qemu_error)
		f->kvm = vm_kvm_state(&f->qemu, f->arch, &f->kvm_why);
}

static void look_at_kernels(struct checkup_facts *f)
{
	_cache_list_ struct cache_list list = {};
	_free_ char *root = NULL;
	int rc = cache_root(&root);

	rc = rc ?: cache_list_read(root, &list);
	f->kernels_error = sentence(rc);
	f->kernels_all = list.count;
	for (size_t i = 0; i < list.count; i++)
		f->kernels_usable += cache_is_usable(&list.items[i]);
}

static void ask_version(struct checkup_tool *tool, const char *program)
{
	_free_ char *path = path_search(program);
	_str_ struct str text = {};

	if (path && child_output((const char *const[]){ path, "--version", NULL }, VERSION_LIMIT_NS,
				 &text) == 0)
		tool->text = strndup(str_get(&text), strcspn(str_get(&text), "\n"));
	tool->number = tool->text ? make_parse_pahole(tool->text) : -1;
}

/* On Debian plain clang may be older than the versioned one that compiles schedulers. */
static void ask_clang(struct checkup_tool *tool)
{
	static const char *const programs[] = { "clang-23", "clang-22", "clang-21", "clang-20",
						"clang-19", "clang-18", "clang-17", "clang" };
	const char *number;
	uint64_t major;

	for (size_t i = 0; i < ARRAY_SIZE(programs) && !tool->text; i++)
		ask_version(tool, programs[i]);
	number = tool->text ? strstr(tool->text, "version ") : NULL;
	if (number)
		number += strlen("version ");
	tool->number = number && parse_digits(&number, &major) == 0 ? (int)MIN(major, 999) : -1;
}

/* Detected by the package manager: containers may lack /etc/os-release. */
static enum checkup_system find_system(void)
{
	static const char *const programs[] = {
		[CHECKUP_DEBIAN] = "apt-get", [CHECKUP_FEDORA] = "dnf", [CHECKUP_ARCH] = "pacman"
	};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		_free_ char *path = path_search(programs[i]);

		if (path)
			return (enum checkup_system)i;
	}
	return CHECKUP_DEBIAN;
}

static void look_at_tools(struct checkup_facts *f)
{
	ask_version(&f->pahole, "pahole");
	ask_clang(&f->clang);
	for (size_t i = 0; i < ARRAY_SIZE(build_tools); i++) {
		_free_ char *path = path_search(build_tools[i]);

		if (!path)
			str_addf(&f->missing_tools, "%s%s", f->missing_tools.len ? " " : "",
				 build_tools[i]);
	}
}

/* Checks the directory, or the nearest existing parent if it does not exist yet. */
static void look_at_cache(struct checkup_facts *f)
{
	_free_ char *place = path_kernel_cache();
	struct statvfs fs;
	char *slash;

	if (!place) {
		f->cache_error = sentence(-EINVAL);
		return;
	}
	f->cache_dir = strdup(place);
	while (access(place, F_OK) < 0 && (slash = strrchr(place, '/')) && slash != place)
		*slash = '\0';
	f->is_cache_writable = access(place, W_OK | X_OK) == 0;
	if (statvfs(place, &fs) == 0)
		f->cache_free_bytes =
			(struct host_number){ true, (uint64_t)fs.f_bavail * fs.f_frsize };
}

static void look_at_locks(struct checkup_facts *f)
{
	/* A unique name: only such a lock file may be deleted again. */
	_free_ char *path = str_fmt("%s/ktstr-doctor-%d.lock", reserve_lock_dir(), (int)getpid());
	_close_ int fd = path ? lockfile_open(path) : err_no_memory();

	f->lock_error = sentence(fd);
	if (fd >= 0)
		unlink(path);
}

static struct host_number read_pages(const struct roots *roots, const char *name)
{
	struct host_number n = {};

	n.is_known = root_read_u64(roots->sys, &n.value, "kernel/mm/hugepages/hugepages-2048kB/%s",
				   name) == 0;
	return n;
}

/* Parses the soft limit in "\nMax realtime priority     0                    0". */
static struct host_number read_limit(const struct roots *roots, const char *key)
{
	_str_ struct str limits = {};
	struct host_number n = {};
	const char *p;

	if (root_read(roots->proc, &limits, "self/limits") < 0)
		return n;
	p = strstr(str_get(&limits), key);
	if (!p)
		return n;
	p += strlen(key);
	p += strspn(p, " ");
	if (str_starts(p, "unlimited"))
		return (struct host_number){ true, UINT64_MAX };
	n.is_known = parse_digits(&p, &n.value) == 0;
	return n;
}

static bool has_nice_right(const struct roots *roots)
{
	static const char key[] = "\nCapEff:";
	_str_ struct str status = {};
	const char *p = root_read(roots->proc, &status, "self/status") == 0 ?
				strstr(str_get(&status), key) :
				NULL;

	return p && strtoull(p + strlen(key), NULL, 16) >> CAP_SYS_NICE & 1;
}

static void look_at_size(struct checkup_facts *f, const struct roots *roots)
{
	_host_context_ struct host_context h = {};

	if (host_context_read(&h, roots) < 0)
		return;
	f->cpus = h.online_cpus;
	f->memory_kib = h.total_memory_kb;
}

static struct host_number count_allowed_cpus(const struct roots *roots)
{
	_str_ struct str status = {};
	_free_ char *list = root_read(roots->proc, &status, "self/status") == 0 ?
				    host_line_value(str_get(&status), "Cpus_allowed_list") :
				    NULL;
	struct cpulist cpus = {};
	struct host_number n = {};

	if (list && cpulist_parse(list, &cpus) == 0)
		n = (struct host_number){ cpus.count > 0, cpus.count };
	cpulist_finish(&cpus);
	return n;
}

static void lower_limit(struct host_number *n, struct host_number other)
{
	if (other.is_known && (!n->is_known || other.value < n->value))
		*n = other;
}

/* Reads a limit of the cgroup whose path is the first len characters of path. */
typedef struct host_number (*limit_reader)(const struct roots *roots, int len, const char *path);

static struct host_number memory_in_v2(const struct roots *roots, int len, const char *path)
{
	struct host_number n = {};

	n.is_known = root_read_u64(roots->cgroup, &n.value, "%.*s/memory.max", len, path) == 0;
	return n;
}

static struct host_number memory_in_v1(const struct roots *roots, int len, const char *path)
{
	struct host_number n = {};

	n.is_known = root_read_u64(roots->cgroup, &n.value, "memory%.*s/memory.limit_in_bytes", len,
				   path) == 0;
	return n;
}

/* Rounds up: half a CPU counts as one. */
static struct host_number cpus_of(uint64_t quota, uint64_t period)
{
	return (struct host_number){ quota && period, period ? (quota - 1) / period + 1 : 0 };
}

/* "50000 100000" or "max 100000" */
static struct host_number cpus_in_v2(const struct roots *roots, int len, const char *path)
{
	_str_ struct str text = {};
	uint64_t quota, period;
	const char *p;

	if (root_read(roots->cgroup, &text, "%.*s/cpu.max", len, path) < 0)
		return (struct host_number){};
	p = str_get(&text);
	if (parse_digits(&p, &quota) < 0 || *p++ != ' ' || parse_digits(&p, &period) < 0)
		return (struct host_number){};
	return cpus_of(quota, period);
}

/* Without a quota the file contains -1, which is not a valid number here. */
static struct host_number cpus_in_v1(const struct roots *roots, int len, const char *path)
{
	uint64_t quota, period;

	if (root_read_u64(roots->cgroup, &quota, "cpu%.*s/cpu.cfs_quota_us", len, path) < 0 ||
	    root_read_u64(roots->cgroup, &period, "cpu%.*s/cpu.cfs_period_us", len, path) < 0)
		return (struct host_number){};
	return cpus_of(quota, period);
}

static const struct cgroup_limit {
	const char *v1_names[2]; /* text after the number in the line of its hierarchy */
	limit_reader read_v1, read_v2;
} memory_limit = { { ":memory:", ":memory," }, memory_in_v1, memory_in_v2 },
  cpu_limit = { { ":cpu:", ":cpu," }, cpus_in_v1, cpus_in_v2 };

/* Applies the limits of a cgroup, given as in /proc/self/cgroup, and of its parents. */
static void look_up_tree(struct host_number *n, const struct roots *roots, limit_reader read,
			 struct text_line path)
{
	for (size_t len = path.len;; len--) {
		if (len && len != path.len && path.s[len] != '/')
			continue;
		lower_limit(n, read(roots, (int)len, path.s));
		if (!len)
			return;
	}
}

/* Path in a v1 line such as "4:cpu,cpuacct:/user"; NULL if it is another hierarchy. */
static const char *path_in_v1(const struct cgroup_limit *limit, struct text_line line)
{
	for (size_t i = 0; i < ARRAY_SIZE(limit->v1_names); i++) {
		const char *name = limit->v1_names[i];
		const char *at = memmem(line.s, line.len, name, strlen(name));
		const char *colon = at ? memchr(at + 1, ':', (size_t)(line.s + line.len - at - 1)) :
					 NULL;

		if (colon)
			return colon + 1;
	}
	return NULL;
}

/*
 * Lines "0::/user.slice" are cgroup v2, "4:memory:/user" v1. In a container the root of the
 * hierarchy is that of the container, but the paths may be those of the host.
 */
static void look_at_cgroups(struct host_number *n, const struct roots *roots,
			    const struct cgroup_limit *limit)
{
	_str_ struct str cgroups = {};

	look_up_tree(n, roots, limit->read_v2, (struct text_line){ .s = "" });
	look_up_tree(n, roots, limit->read_v1, (struct text_line){ .s = "" });
	if (root_read(roots->proc, &cgroups, "self/cgroup") < 0)
		return;
	text_each_line(line, str_get(&cgroups)) {
		const char *v1 = path_in_v1(limit, line);
		const char *path = v1 ? v1 : line.s + strlen("0::");

		if (v1 || str_starts(line.s, "0::"))
			look_up_tree(n, roots, v1 ? limit->read_v1 : limit->read_v2,
				     (struct text_line){ path,
							 (size_t)(line.s + line.len - path) });
	}
}

static void look_at_limits(struct checkup_facts *f, const struct roots *roots)
{
	_str_ struct str controllers = {};

	f->has_cgroup2 = root_read(roots->cgroup, &controllers, "cgroup.controllers") == 0;
	f->allowed_cpus = count_allowed_cpus(roots);
	look_at_cgroups(&f->allowed_cpus, roots, &cpu_limit);
	look_at_cgroups(&f->allowed_memory, roots, &memory_limit);
	lower_limit(&f->allowed_memory, read_limit(roots, "\nMax address space"));
}

int checkup_gather(struct checkup_facts *f, const struct roots *roots)
{
	*f = (struct checkup_facts){ .is_root = geteuid() == 0, .system = find_system() };
	look_at_qemu(f);
	f->busybox_error = sentence(busybox_find(&f->busybox));
	look_at_kernels(f);
	look_at_tools(f);
	look_at_cache(f);
	look_at_locks(f);
	f->cgroup_error = sentence(sandbox_probe(roots));
	f->hugepages_free = read_pages(roots, "free_hugepages");
	f->hugepages_total = read_pages(roots, "nr_hugepages");
	f->rtprio = read_limit(roots, "\nMax realtime priority");
	f->can_nice = has_nice_right(roots);
	look_at_size(f, roots);
	look_at_limits(f, roots);
	if (str_check(&f->kvm_why) < 0 || str_check(&f->missing_tools) < 0) {
		checkup_facts_finish(f);
		return -ENOMEM;
	}
	return 0;
}

void checkup_facts_finish(struct checkup_facts *f)
{
	vm_qemu_finish(&f->qemu);
	free(f->qemu_error);
	str_finish(&f->kvm_why);
	free(f->busybox);
	free(f->busybox_error);
	free(f->kernels_error);
	free(f->pahole.text);
	free(f->clang.text);
	str_finish(&f->missing_tools);
	free(f->cache_dir);
	free(f->cache_error);
	free(f->lock_error);
	free(f->cgroup_error);
	*f = (struct checkup_facts){};
}
