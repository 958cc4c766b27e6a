// SPDX-License-Identifier: GPL-2.0-only
/* Suspicion costs only a comparison; the guest is stopped only if it is suspected. */
#include "watch/parts.h"

#define LIMIT_NS (5 * NSEC_PER_SEC)
#define SLOWER_TCG 4 /* TCG is slower when all CPUs wait while one patches kernel code */
#define MIN_CHANGES 2
#define MAX_TOLD 4 /* vCPUs in the sentence; the dump has all */

uint64_t hang_limit_ns(enum vm_accel accel)
{
	return accel == VM_ACCEL_TCG ? SLOWER_TCG * LIMIT_NS : LIMIT_NS;
}

bool hang_suspect(struct hang *h, uint64_t jiffies, uint64_t now_ns, uint64_t used_ns,
		  uint64_t limit_ns)
{
	bool is_same = h->changes && jiffies == h->jiffies;

	if (is_same && (h->changes < MIN_CHANGES || now_ns - h->since_ns < limit_ns ||
			used_ns - h->since_used_ns < limit_ns))
		return false;
	h->changes += !is_same && h->changes < MIN_CHANGES;
	h->jiffies = jiffies;
	h->since_ns = now_ns;
	h->since_used_ns = used_ns;
	return is_same;
}

bool hang_is_certain(const struct vcpus *v)
{
	bool is_busy = false;

	vec_each(const struct vcpu, c, &v->items) {
		if (!c->is_halted && vcpu_takes_interrupts(c))
			return false;
		is_busy |= !c->is_halted;
	}
	return is_busy;
}

static void add_places(const struct vcpus *v, const struct guest_names *names, struct str *out)
{
	unsigned int told = 0;

	vec_each(const struct vcpu, c, &v->items) {
		if (c->is_halted || !c->frame_count || told++ >= MAX_TOLD)
			continue;
		str_addf(out, "%scpu%u in ", told > 1 ? ", " : ": ", c->number);
		names_add(names, c->frames[0], true, out);
	}
	if (told > MAX_TOLD)
		str_addf(out, " and %u more", told - MAX_TOLD);
}

void hang_describe(const struct vcpus *v, const struct symbols *symbols, struct space *space,
		   uint64_t limit_ns, struct str *out)
{
	_cleanup_(names_finish) struct guest_names names = {};
	_prog_lines_ struct prog_lines programs = {};
	int rc = prog_lines_of_schedulers(&programs, space);

	rc = rc ?: names_read(&names, symbols, space->slide, &programs);
	str_addf(
		out,
		"the guest hangs: no CPU took a timer interrupt for %llu s, and those that are busy have "
		"interrupts disabled",
		ULL(limit_ns / NSEC_PER_SEC));
	if (rc == 0)
		add_places(v, &names, out);
	err_clear();
}
