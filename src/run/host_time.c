// SPDX-License-Identifier: GPL-2.0-only
/* Decides whether CPU time withheld by the host explains what the guest saw. */
#include "run/parts.h"

#define PERCENTILE_PART 0.01 /* wait fraction that can affect a p99 */
#define OTHER_PAIRS 1	     /* number of pairs besides those of vCPUs: dilation */
#define NAME_SIZE 24
#define MAX_SECONDS 1e6

static bool is_percentile(enum detail_kind kind)
{
	return kind == DETAIL_BENCHMARK || kind == DETAIL_TIMER;
}

static bool explains_percentile(const struct vm_thread_time *t, uint64_t ns)
{
	double all = (double)t->run_ns + (double)t->wait_ns;

	return (double)t->wait_ns >= PERCENTILE_PART * all && t->wait_ns >= ns;
}

bool host_time_explains(const struct vm_host_time *t, const struct detail *d)
{
	int worst = vm_host_time_worst(t);

	if (worst < 0 || !d->time_ns || d->verdict != KTSTR_FAILED)
		return false;
	if (is_percentile(d->kind))
		return explains_percentile(&t->threads[worst], d->time_ns);
	return vm_host_time_within(t, d->time_ns) >= d->time_ns / 2;
}

uint64_t host_time_in_text(const char *text)
{
	static const char *const before[] = { "failed to run for ", "failed to check in for ",
					      "not attached within " };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		const char *found = strstr(text, before[i]);
		double seconds = found ? strtod(found + strlen(before[i]), NULL) : 0;

		if (seconds > 0 && seconds < MAX_SECONDS)
			return (uint64_t)(seconds * (double)NSEC_PER_SEC);
	}
	return 0;
}

static void add_figures(const struct vm_host_time *t, struct str *out)
{
	int worst = vm_host_time_worst(t);
	const struct vm_thread_time *w = &t->threads[worst];

	if (t->count == 1)
		str_add(out, "the vCPUs' thread");
	else
		str_addf(out, "vCPU %d", worst);
	str_addf(out, " ran %.2f s and waited %.2f s for a CPU: dilation %.2f",
		 (double)w->run_ns / 1e9, (double)w->wait_ns / 1e9, vm_dilation(w));
}

static void excuse(struct detail *d, const struct vm_host_time *t)
{
	_str_ struct str text = {};
	char *message;

	str_addf(&text, "%s; the host explains it: ", d->message);
	if (!is_percentile(d->kind))
		str_addf(&text, "within %.1f s it withheld up to %.2f s of CPU time; ",
			 (double)vm_time_window_ns(d->time_ns) / 1e9,
			 (double)vm_host_time_within(t, d->time_ns) / 1e9);
	add_figures(t, &text);
	message = str_take(&text);
	if (!message)
		return;
	free(d->message);
	d->message = message;
	d->verdict = KTSTR_INCONCLUSIVE;
}

void host_time_excuse(struct ktstr_result *r, const struct vm_host_time *t)
{
	bool is_excused = false, has_failed = false;

	vec_each(struct detail, d, &r->details) {
		if (host_time_explains(t, d)) {
			excuse(d, t);
			is_excused = true;
		}
		has_failed |= d->verdict == KTSTR_FAILED;
	}
	if (is_excused && !has_failed && r->verdict == KTSTR_FAILED)
		r->verdict = KTSTR_INCONCLUSIVE;
}

void host_time_add_line(const struct vm_host_time *t, struct str *out)
{
	if (!t->count)
		return;
	str_add(out, "host: ");
	add_figures(t, out);
	str_addc(out, '\n');
}

static void add_pair(struct sidecar *s, struct sidecar_pair *items, unsigned int thread,
		     const char *what, uint64_t ns)
{
	char *name = arena_alloc(&s->arena, NAME_SIZE);

	if (!name)
		return;
	snprintf(name, NAME_SIZE, "vcpu%u_%s_ms", thread, what);
	items[s->host_time.count++] =
		(struct sidecar_pair){ .name = name, .value = (double)ns / NSEC_PER_MSEC };
}

void record_host_time(struct sidecar *s, const struct vm_host_time *t)
{
	struct sidecar_pair *items;

	if (!t->count)
		return;
	items = arena_alloc(&s->arena, (OTHER_PAIRS + 2 * t->count) * sizeof(*items));
	if (!items)
		return;
	items[0] =
		(struct sidecar_pair){ .name = "dilation",
				       .value = vm_dilation(&t->threads[vm_host_time_worst(t)]) };
	s->host_time = (struct sidecar_pairs){ .is_known = true, .items = items, .count = 1 };
	for (unsigned int i = 0; i < t->count; i++) {
		add_pair(s, items, i, "run", t->threads[i].run_ns);
		add_pair(s, items, i, "wait", t->threads[i].wait_ns);
	}
}
