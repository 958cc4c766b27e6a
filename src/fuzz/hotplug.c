// SPDX-License-Identifier: GPL-2.0-only
/* Schedulers that leave CPUs that come and go to the kernel, which then ends them. */
#include "fuzz/parts.h"

#define HOTPLUG (FUZZ_OP(OFFLINE) | FUZZ_OP(ONLINE))

static bool is_ended(const struct trial *t)
{
	return t->signature && (strstr(t->signature, "going offline, exiting scheduler") ||
				strstr(t->signature, "going online, exiting scheduler"));
}

/* Runs a scenario that only takes a CPU offline, to see whether the scheduler ends. */
static int ask(struct fuzz *f, bool *ends)
{
	static const struct fuzz_input question = {
		.seed = 1,
		.count = 4,
		.ops = { { .kind = FUZZ_OP_GROUP },
			 { .kind = FUZZ_OP_STEP },
			 { .kind = FUZZ_OP_OFFLINE },
			 { .kind = FUZZ_OP_STEP } },
	};
	_fuzz_batch_ struct fuzz_batch b = {};
	int rc = fuzz_batch_init(&b);

	if (rc < 0)
		return rc;
	b.count = 1;
	b.chains[0].count = 1;
	b.chains[0].inputs[0] = question;
	fuzz_input_repair(&b.chains[0].inputs[0]);
	f->shrinking++;
	rc = fuzz_batch_run(f, &b);
	*ends = rc == 0 && is_ended(&b.trials[0]);
	return rc;
}

int fuzz_ends_at_hotplug(struct fuzz *f, const struct fuzz_input *in, const struct trial *t,
			 bool *is_meant)
{
	int rc = 0;

	*is_meant = is_ended(t);
	/*
	 * If a scenario of this guest has started the scheduler itself, the reason of its
	 * end is unknown.
	 */
	if (!*is_meant && t->signature && fuzz_input_has(in, HOTPLUG) &&
	    strstr(t->signature, "scheduler process died"))
		rc = ask(f, is_meant);
	if (*is_meant)
		f->left_out |= HOTPLUG;
	return rc;
}
