// SPDX-License-Identifier: GPL-2.0-only
/* A test's function that looks at its snapshots, on the host. */
#include "program/parts.h"

#include "check/check.h"
#include "snapshot/snapshot.h"

static void report(int rc, struct ktstr_result *res)
{
	if (verdict_is_known(rc))
		result_add_returned(res, (enum ktstr_verdict)rc);
	else if (rc > 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "post_vm returned %d: it has to return 0, a negative errno or a verdict",
			   rc);
	else if (rc < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "post_vm: %s", err_text(rc));
}

int post_vm_run(const struct ktstr_test *t, const struct body_options *o)
{
	_cleanup_(snapshots_finish) struct ktstr_snapshots all = {};
	_cleanup_(result_finish) struct ktstr_result res = {};
	int rc;

	result_init(&res);
	if (!t->post_vm || !o->snapshots_path)
		return err_set(EINVAL, "test '%s': %s", t->name,
			       t->post_vm ? "--snapshots is missing" : "it has no post_vm");
	rc = snapshots_load(&all, o->snapshots_path);
	if (rc < 0)
		return rc;
	snapshots_note_reuse(&all, &res);
	err_clear();
	report(t->post_vm(&all, &res), &res);
	result_close(&res);
	return body_write_result(o->result_path, &res);
}
