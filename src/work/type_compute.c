// SPDX-License-Identifier: GPL-2.0-only
/* Work that computes: arithmetic that fills a core, matrix products after a wakeup. */
#include "work/types.h"

/* ---- arithmetic in registers ---- */

#define ALU_CHUNK 16384

/* Four independent chains keep the multipliers busy. */
__attribute__((noinline, aligned(128))) static uint64_t multiply_add(uint64_t seed, uint64_t times)
{
	uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3;

	for (times /= 4; times > 0; times--) {
		a = a * 6364136223846793005ULL + 1;
		b = b * 6364136223846793005ULL + 3;
		c = c * 6364136223846793005ULL + 5;
		d = d * 6364136223846793005ULL + 7;
	}
	return a ^ b ^ c ^ d;
}

void alu_hot_iterate(struct ktstr_worker *w)
{
	static volatile uint64_t sink;

	sink = multiply_add(sink, ALU_CHUNK);
	w->work_units += ALU_CHUNK;
}

/* ---- products after a wakeup ---- */

#define MESSENGER_UNITS 256

struct product {
	size_t n;
	uint64_t *a, *b, *c;
	uint32_t seen;
};

static uint64_t square_root(uint64_t x)
{
	uint64_t r = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= x)
			r += bit;
	return r;
}

int fan_out_compute_prepare(struct ktstr_worker *w)
{
	struct product *p = worker_state(w, sizeof(*p));
	uint64_t kib = w->args[1];

	if (!p)
		return -ENOMEM;
	p->n = kib < UINT64_MAX / 1024 ? square_root(kib * 1024 / 3 / sizeof(uint64_t)) : 0;
	p->n = p->n ? p->n : 1;
	p->a = calloc(p->n * p->n, 3 * sizeof(uint64_t));
	if (!p->a)
		return worker_problem(w, ENOMEM, "%llu KiB of memory", ULL(kib));
	p->b = p->a + p->n * p->n;
	p->c = p->b + p->n * p->n;
	for (size_t i = 0; i < 2 * p->n * p->n; i++)
		p->a[i] = i;
	return 0;
}

__attribute__((noinline, aligned(128))) static void multiply_row(const struct product *p, size_t i)
{
	const uint64_t *a = p->a + i * p->n, *b = p->b;
	uint64_t sum;

	for (size_t j = 0; j < p->n; j++) {
		sum = 0;
		for (size_t k = 0; k < p->n; k++)
			sum += a[k] * b[k * p->n + j];
		p->c[i * p->n + j] = sum;
	}
}

static void multiply(struct ktstr_worker *w)
{
	const struct product *p = w->state;

	for (size_t i = 0; i < p->n && !worker_should_stop(w); i++) {
		multiply_row(p, i);
		worker_progress(w, 0);
	}
	worker_progress(w, 1);
}

/* The futex is the low half of the counter, which comes first on little-endian machines. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the futex is the low half");

static const _Atomic uint32_t *generation_word(const struct ktstr_worker *w)
{
	return (const _Atomic uint32_t *)&w->team->generation;
}

static void send_generation(struct ktstr_worker *w)
{
	atomic_store(&w->team->stamp_ns, clock_mono_ns());
	atomic_fetch_add(&w->team->generation, 1);
	futex_wake(generation_word(w), w->team_size - 1);
	worker_spin(w, MESSENGER_UNITS);
}

void fan_out_compute_iterate(struct ktstr_worker *w)
{
	struct product *p = w->state;

	if (w->member == 0) {
		send_generation(w);
		return;
	}
	if (!worker_await_change(w, generation_word(w), p->seen))
		return;
	p->seen = atomic_load(generation_word(w));
	worker_woke_since(w, atomic_load(&w->team->stamp_ns), clock_mono_ns());
	worker_rest_until(w, worker_blocks(w) + w->args[3] * 1000);
	for (uint64_t i = 0; i < w->args[2] && !worker_should_stop(w); i++)
		multiply(w);
}
