// SPDX-License-Identifier: GPL-2.0-only
/* Runs a test's functions that examine its snapshots, on the host. */
#include "program/parts.h"

#include "check/check.h"
#include "snapshot/snapshot.h"

static void run(const char *name, ktstr_post_vm_fn *look, const struct ktstr_snapshots *all,
		struct ktstr_result *res)
{
	int rc;

	if (!look)
		return;
	err_clear();
	rc = look(all, res);
	if (verdict_is_known(rc))
		result_add_returned(res, (enum ktstr_verdict)rc);
	else if (rc > 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "%s returned %d: it has to return 0, a negative errno or a verdict",
			   name, rc);
	else if (rc < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "%s: %s", name, err_text(rc));
}

int post_vm_run(const struct ktstr_test *t, const struct body_options *o)
{
	_cleanup_(snapshots_finish) struct ktstr_snapshots all = {};
	_cleanup_(result_finish) struct ktstr_result res = {};
	int rc;

	result_init(&res);
	if (!t->post_vm && !t->post_vm_unconditional)
		return err_set(EINVAL, "test '%s' has no post_vm", t->name);
	if (!o->snapshots_path)
		return err_set(EINVAL, "test '%s': --snapshots is missing", t->name);
	rc = snapshots_load(&all, o->snapshots_path);
	if (rc < 0)
		return rc;
	snapshots_note_reuse(&all, &res);
	if (!o->has_failed)
		run("post_vm", t->post_vm, &all, &res);
	run("post_vm_unconditional", t->post_vm_unconditional, &all, &res);
	result_close(&res);
	return body_write_result(o->result_path, &res);
}
