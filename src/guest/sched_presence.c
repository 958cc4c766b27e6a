// SPDX-License-Identifier: GPL-2.0-only
/* Tracks whether the scheduler attaches in time, leaves, comes back, or ends. */
#include "guest/sched.h"

#include "guest/protocol.h"

/* An error is final, and so is an unknown reason of a newer kernel. */
static bool may_return(const struct scx_exit *e)
{
	return !e->is_known || (e->kind && e->kind < SCX_KIND_ERROR);
}

bool sched_attach_is_over(struct sched_attach_time *t, unsigned int newest_program, uint64_t now_ns)
{
	uint64_t all_ns = GUEST_SCHED_ATTACH_FACTOR * t->limit_ns, one_ns = t->limit_ns;

	if (newest_program != t->newest_program && !t->is_fixed)
		t->progress_ns = now_ns;
	t->newest_program = newest_program;
	if (t->progress_ns > t->started_ns)
		one_ns *= GUEST_SCHED_PROGRAM_FACTOR;
	return now_ns - t->progress_ns > one_ns || now_ns - t->started_ns > all_ns;
}

void sched_presence_note_gone(struct sched_presence *p, uint64_t now_ns)
{
	if (!p->left_ns)
		p->left_ns = now_ns;
}

static void add_absence(const struct sched_presence *p, struct sched_life *r, uint64_t now_ns)
{
	struct sched_life_absence *a;

	if (r->absence_count++ >= SCHED_MAX_ABSENCES)
		return;
	a = &r->absences[r->absence_count - 1];
	a->left_ns = p->left_ns - MIN(p->payload_ns, p->left_ns);
	a->away_ns = now_ns - p->left_ns;
	snprintf(a->reason, sizeof(a->reason), "%s",
		 r->exit.is_known ? r->exit.reason : "for an unknown reason");
}

void sched_presence_note_back(struct sched_presence *p, struct sched_life *r, uint64_t now_ns)
{
	if (p->is_over) {
		if (!r->back_after_ns && !p->is_closing)
			r->back_after_ns = now_ns - p->left_ns;
		return;
	}
	/* The kernel logs the first attachment a little later: the process may be gone by then. */
	if (!p->left_ns || r->has_status)
		return;
	if (p->payload_ns)
		add_absence(p, r, now_ns);
	r->exit = (struct scx_exit){};
	p->left_ns = 0;
}

static void take_end(struct sched_presence *p, struct sched_life *r, const struct scx_exit *told,
		     uint64_t now_ns)
{
	if (p->is_over && r->exit.is_known) {
		p->has_next_end = true;
		return;
	}
	r->exit = *told;
	sched_presence_note_gone(p, now_ns);
}

void sched_presence_take_kmsg(struct sched_presence *p, struct sched_life *r, const char *record,
			      size_t len, uint64_t now_ns)
{
	struct scx_exit told = r->exit;

	switch (scx_exit_take_kmsg(&told, record, len)) {
	case SCX_EVENT_DISABLED:
		take_end(p, r, &told, now_ns);
		break;
	case SCX_EVENT_ENABLED:
		r->was_enabled |= !p->is_closing;
		sched_presence_note_back(p, r, now_ns);
		break;
	case SCX_EVENT_MESSAGE:
		if (!p->has_next_end)
			r->exit = told;
		break;
	default:
		break;
	}
}

bool sched_presence_is_over(struct sched_presence *p, const struct sched_life *r, bool can_return,
			    uint64_t now_ns)
{
	uint64_t limit_ns = r->return_limit_s * NSEC_PER_SEC;

	if (!p->is_over && p->left_ns)
		p->is_over = !may_return(&r->exit) || !can_return || now_ns - p->left_ns > limit_ns;
	return p->is_over;
}
