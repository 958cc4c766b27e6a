// SPDX-License-Identifier: GPL-2.0-only
/* Lists the threads of a procfs. */
#include "ctprof/capture_parts.h"

struct numbers {
	uint32_t *items;
	size_t count, cap;
};

/* The kernel lists threads in ascending order; recorded trees may not. */
static void sort_numbers(struct numbers *n)
{
	for (size_t i = 1; i < n->count; i++)
		if (n->items[i - 1] > n->items[i]) {
			vec_sort(n, order_u32);
			return;
		}
}

/* Takes ownership of fd, which may be -1 with errno set. */
static int list_numbers(int fd, struct numbers *out)
{
	_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	out->count = 0;
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		uint64_t number;

		if (parse_u64(entry->d_name, &number) < 0 || number == 0 || number > UINT32_MAX)
			continue;
		if (vec_push(out, (uint32_t)number) < 0)
			return -ENOMEM;
	}
	sort_numbers(out);
	return 0;
}

static int list_process(struct walk_list *list, int proc_fd, uint32_t tgid, struct numbers *tids)
{
	char name[32];
	int fd, rc;

	snprintf(name, sizeof(name), "%u/task", tgid);
	fd = openat(proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		list->hidden += errno == EACCES || errno == EPERM;
	rc = list_numbers(fd, tids) ?: vec_reserve(list, list->count + tids->count);
	for (size_t i = 0; rc == 0 && i < tids->count; i++)
		list->items[list->count++] = (struct walk_thread){ tgid, tids->items[i] };
	return rc;
}

/* --pid may name any thread: selects its process. */
static int find_tgid(int proc_fd, const char *proc, uint32_t pid, uint32_t *tgid)
{
	_str_ struct str text = {};
	char name[32];
	const char *line;
	uint64_t number;
	int rc;

	snprintf(name, sizeof(name), "%u/status", pid);
	rc = file_read_at(proc_fd, name, &text);
	if (rc < 0)
		return err_set(ESRCH, "no process %u in %s", pid, proc);
	line = strstr(str_get(&text), "\nTgid:");
	if (line)
		line += strspn(line + 6, " \t") + 6;
	*tgid = line && parse_digits(&line, &number) == 0 && number <= UINT32_MAX ?
			(uint32_t)number :
			pid;
	return 0;
}

static int take_pids(struct numbers *tgids, const struct capture_opts *opts, int proc_fd)
{
	size_t kept = 0;

	for (size_t i = 0; i < opts->pid_count; i++) {
		uint32_t tgid = 0;
		int rc = find_tgid(proc_fd, opts->roots.proc, opts->pids[i], &tgid);

		rc = rc ?: vec_push(tgids, tgid);
		if (rc < 0)
			return rc;
	}
	sort_numbers(tgids);
	for (size_t i = 0; i < tgids->count; i++)
		if (kept == 0 || tgids->items[kept - 1] != tgids->items[i])
			tgids->items[kept++] = tgids->items[i];
	tgids->count = kept;
	return 0;
}

static int list_tgids(struct numbers *tgids, const struct capture_opts *opts, int proc_fd)
{
	if (opts->pid_count)
		return take_pids(tgids, opts, proc_fd);
	return list_numbers(openat(proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), tgids);
}

int walk_list_threads(struct walk_list *list, const struct capture_opts *opts, int proc_fd)
{
	_vec_ struct numbers tgids = {}, tids = {};
	int rc;

	*list = (struct walk_list){};
	rc = list_tgids(&tgids, opts, proc_fd);
	for (size_t i = 0; rc == 0 && i < tgids.count; i++)
		rc = list_process(list, proc_fd, tgids.items[i], &tids);
	if (rc == 0 && list->count == 0)
		rc = err_set(ENOENT, "no process to be seen in %s: is procfs mounted there?",
			     opts->roots.proc);
	if (rc < 0)
		walk_list_finish(list);
	return rc;
}

void walk_list_finish(struct walk_list *list)
{
	free(list->items);
	*list = (struct walk_list){};
}
