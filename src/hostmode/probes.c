// SPDX-License-Identifier: GPL-2.0-only
/* Runs the loader of the probes as a child; its files are in a temporary directory. */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include "hostmode/execute.h"
#include "kernel/btf.h"
#include "repro/repro.h"

#define LOOK_MS 20
#define READY_NS (30 * NSEC_PER_SEC)
#define END_NS (30 * NSEC_PER_SEC)
#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

/* ---- start ---- */

static int start_loader(struct host_probes *p, const char *functions)
{
	_close_ int program = -1;
	_free_ char *path = NULL;
	int rc = host_loader_open(&program), said;

	if (rc < 0)
		return rc;
	said = memfd_create("ktstr-probes-said", MFD_CLOEXEC);
	path = str_fmt("/proc/self/fd/%d", program);
	if (said < 0 || !path)
		return err_no_memory();
	p->said = said + 1;
	return child_start(&p->child,
			   &(struct child_opts){ .argv = (const char *const[]){ path, "--probes",
										p->dir, functions,
										NULL },
						 .stderr_fd = said,
						 .inherit = (const int[]){ program },
						 .inherit_count = 1 });
}

static int wait_ready(struct host_probes *p)
{
	_free_ char *path = str_fmt("%s/ready", p->dir);
	uint64_t end_ns = clock_mono_ns() + READY_NS;

	while (path && access(path, F_OK) < 0) {
		int rc = child_wait(&p->child, 0);

		if (rc != -ETIMEDOUT)
			return host_loader_explain(p->said - 1);
		err_clear();
		rc = interrupt_check();
		if (rc < 0)
			return rc;
		if (clock_mono_ns() > end_ns)
			return err_set(ETIMEDOUT, "the probes are not attached after 30 s");
		poll(NULL, 0, LOOK_MS);
	}
	return path ? 0 : err_no_memory();
}

int host_probes_start(struct host_probes *p, const char *functions)
{
	int rc;

	*p = (struct host_probes){ .dir = "/tmp/ktstr-probes-XXXXXX" };
	if (!mkdtemp(p->dir)) {
		rc = err_sys(errno, "create %s", p->dir);
		p->dir[0] = '\0';
		return rc;
	}
	rc = start_loader(p, functions) ?: wait_ready(p);
	return err_wrap(rc, "probes");
}

/* ---- end ---- */

static int end_loader(struct host_probes *p, struct str *report, struct str *records)
{
	_free_ char *report_path = str_fmt("%s/report.json", p->dir);
	_free_ char *records_path = str_fmt("%s/records", p->dir);
	int rc;

	if (!report_path || !records_path)
		return err_no_memory();
	kill(p->child.pid, SIGTERM);
	rc = child_wait(&p->child, END_NS);
	if (rc != 0)
		return rc < 0 ? rc : host_loader_explain(p->said - 1);
	return file_read(report_path, report) ?: file_read(records_path, records);
}

/* The task that a failed check names; 0 = none. */
static uint32_t find_task(const struct ktstr_result *res)
{
	uint32_t task = 0;

	vec_each_while(const struct detail, d, &res->details, !task)
		if (d->verdict == KTSTR_FAILED)
			task = repro_task_in(d->message);
	return task;
}

static void add_titled(const char *title, const struct str *text, struct str *out)
{
	if (text->len)
		str_addf(out, "--- %s ---\n%s", title, text->s);
}

static int tell(const struct repro_probed *q, struct str *out)
{
	struct repro_report report = {};
	int rc = repro_probed_tell(q, &report);

	if (rc == 0)
		str_add(&report.text, "scheduler ran normally (crash did not reproduce)\n");
	if (rc >= 0) {
		add_titled("probe pipeline", &report.pipeline, out);
		add_titled("auto-repro", &report.text, out);
	}
	str_finish(&report.pipeline);
	str_finish(&report.text);
	str_finish(&report.json);
	return MIN(rc, 0);
}

int host_probes_end(struct host_probes *p, const struct ktstr_result *res, const char *kernel_dir,
		    struct str *out)
{
	_cleanup_(source_lines_finish) struct source_lines lines = {};
	_str_ struct str report = {}, records = {}, types_text = {};
	struct btf types = {};
	struct repro_probed q = { .types = &types,
				  .cpu_count = (size_t)sysconf(_SC_NPROCESSORS_CONF),
				  .report = &report,
				  .records = &records };
	int rc = end_loader(p, &report, &records) ?: file_read(KERNEL_TYPES, &types_text);

	if (rc == 0 && kernel_dir) {
		q.lines = &lines;
		rc = source_lines_open(&lines, kernel_dir);
	}
	rc = rc ?: btf_open(&types, (const uint8_t *)str_get(&types_text), types_text.len);
	if (rc < 0)
		return rc;
	q.cause.exit_kind = repro_probed_exit(&report);
	if (!q.cause.exit_kind && res->verdict == KTSTR_FAILED)
		q.cause.pid = find_task(res);
	rc = tell(&q, out);
	btf_close(&types);
	return rc;
}

void host_probes_finish(struct host_probes *p)
{
	child_finish(&p->child);
	if (p->dir[0])
		tree_remove(p->dir);
	if (p->said)
		close(p->said - 1);
	*p = (struct host_probes){};
}
