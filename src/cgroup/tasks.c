// SPDX-License-Identifier: GPL-2.0-only
/* Lists and moves tasks. */
#include "cgroup/parts.h"

#define BUSY_TRIES 3
#define BUSY_PAUSE_NS (100 * NSEC_PER_MSEC)

void pid_list_finish(pid_list *pids)
{
	free(pids->items);
	*pids = (pid_list){};
}

int cgroup_tasks_of(const char *dir, pid_list *pids)
{
	_str_ struct str text = {};
	const char *p;
	int rc = root_read(dir, &text, "cgroup.procs");

	if (rc < 0)
		return rc;
	for (p = str_get(&text); *p; p += *p == '\n') {
		uint64_t pid;

		if (parse_digits(&p, &pid) < 0 || pid > INT_MAX || (*p && *p != '\n'))
			return -EINVAL;
		/* 0: a task of another pid namespace, which has no pid here. */
		if (pid && vec_push(pids, (pid_t)pid) < 0)
			return -ENOMEM;
	}
	return 0;
}

int cgroup_tasks(struct cgroup_manager *m, const char *name, pid_list *pids)
{
	_free_ char *path = cgroup_path(m, name);
	int rc = path ? cgroup_tasks_of(path, pids) : err_no_memory();

	return rc < 0 ? cgroup_error(-rc, "list the tasks of", path ? path : name) : 0;
}

/* Keeps the tasks that were refused as busy; returns the first other error. */
static int sort_results(const char *dir, pid_t *pids, size_t *count, const int *results)
{
	size_t busy = 0;

	for (size_t i = 0; i < *count; i++) {
		if (results[i] == -ESRCH)
			log_warn("cgroup", "task %d had ended before it was moved to %s", pids[i],
				 dir);
		else if (results[i] == -EBUSY)
			pids[busy++] = pids[i];
		else if (results[i] < 0)
			return err_sys(-results[i], "move task %d to %s", pids[i], dir);
	}
	*count = busy;
	return 0;
}

static int move_left(const char *dir, const char *path, pid_t *pids, size_t count, int *results)
{
	for (int i = 0;; i++) {
		int rc = control_write_pids(path, pids, count, results);

		if (rc < 0)
			return cgroup_error(-rc, "move tasks to", dir);
		rc = sort_results(dir, pids, &count, results);
		if (rc < 0 || count == 0)
			return rc;
		if (i == BUSY_TRIES)
			return err_set(
				EBUSY,
				"move task %d to %s: busy, also after %d more tries; a cgroup "
				"with controllers for those below it takes no tasks",
				pids[0], dir, BUSY_TRIES);
		clock_sleep_ns(BUSY_PAUSE_NS);
	}
}

int cgroup_move_to_dir(const char *dir, const pid_t *pids, size_t count)
{
	_free_ char *path = str_fmt("%s/cgroup.procs", dir);
	_free_ pid_t *left = calloc(count ? count : 1, sizeof(*left));
	_free_ int *results = calloc(count ? count : 1, sizeof(*results));

	if (!path || !left || !results)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		left[i] = pids[i];
	return move_left(dir, path, left, count, results);
}

int cgroup_move_tasks(struct cgroup_manager *m, const char *name, const pid_t *pids, size_t count)
{
	_free_ char *path = cgroup_path(m, name);

	return path ? cgroup_move_to_dir(path, pids, count) : err_no_memory();
}

int cgroup_move_task(struct cgroup_manager *m, const char *name, pid_t pid)
{
	return cgroup_move_tasks(m, name, &pid, 1);
}
