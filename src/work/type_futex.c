// SPDX-License-Identifier: GPL-2.0-only
/* Work that wakes others through futexes: partners, one to many, chains, herds. */
#include "work/types.h"

#define MESSENGER_UNITS 256

/* The value of the futex when this worker last looked. */
struct seen {
	uint32_t value;
	bool has_begun;
};

int seen_prepare(struct ktstr_worker *w)
{
	return worker_state(w, sizeof(struct seen)) ? 0 : -ENOMEM;
}

void futex_ping_pong_iterate(struct ktstr_worker *w)
{
	_Atomic uint32_t *word = &w->team->word;
	uint32_t partner = 1 - w->member;

	worker_spin(w, w->args[0]);
	atomic_store(word, partner);
	futex_wake(word, 1);
	worker_wait_change(w, word, partner);
}

void futex_fan_out_iterate(struct ktstr_worker *w)
{
	_Atomic uint32_t *word = &w->team->word;
	struct seen *s = w->state;

	worker_spin(w, w->args[1]);
	if (w->member == 0) {
		atomic_fetch_add(word, 1);
		futex_wake(word, w->team_size - 1);
		worker_spin(w, MESSENGER_UNITS);
		return;
	}
	worker_wait_change(w, word, s->value);
	s->value = atomic_load(word);
}

/* ---- a token that goes round ---- */

void wake_chain_iterate(struct ktstr_worker *w)
{
	struct worker_line *next = &w->lines[(w->member + 1) % w->team_size];
	struct seen *s = w->state;

	if (w->member != 0 || s->has_begun) {
		if (!worker_await_change(w, &w->line->word, s->value))
			return;
		s->value = atomic_load(&w->line->word);
		worker_woke_since(w, atomic_load(&w->line->stamp_ns), clock_mono_ns());
	}
	s->has_begun = true;
	worker_spin(w, w->args[1]);
	atomic_store(&next->stamp_ns, clock_mono_ns());
	atomic_fetch_add(&next->word, 1);
	futex_wake(&next->word, 1);
}

/* ---- all wait, and all are woken at once ---- */

static void wake_herd(struct ktstr_worker *w)
{
	_Atomic uint32_t *arrived = &w->team->arrived;
	uint32_t now;

	while ((now = atomic_load(arrived)) != w->team_size - 1)
		if (!worker_await_change(w, arrived, now))
			return;
	atomic_store(arrived, 0);
	atomic_store(&w->team->stamp_ns, clock_mono_ns());
	atomic_fetch_add(&w->team->word, 1);
	futex_wake(&w->team->word, w->team_size);
	worker_spin(w, w->args[1]);
}

static void join_herd(struct ktstr_worker *w)
{
	uint32_t before = atomic_load(&w->team->word);

	if (atomic_fetch_add(&w->team->arrived, 1) + 1 == w->team_size - 1)
		futex_wake(&w->team->arrived, 1);
	if (!worker_await_change(w, &w->team->word, before))
		return;
	worker_woke_since(w, atomic_load(&w->team->stamp_ns), clock_mono_ns());
	worker_spin(w, w->args[1]);
}

void thundering_herd_iterate(struct ktstr_worker *w)
{
	if (w->member == 0)
		wake_herd(w);
	else
		join_herd(w);
}
