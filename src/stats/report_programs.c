// SPDX-License-Identifier: GPL-2.0-only
/* `stats`: BPF programs, and costs of the VMs. */
#include "stats/stats.h"

#define VERIFIER_LIMIT 1000000
#define VERIFIER_NEAR_PERCENT 75

typedef VEC(struct sidecar_program) programs;

static int compare_programs(const void *a, const void *b)
{
	const struct sidecar_program *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	if (by_name)
		return by_name;
	return ORDER(y->verified_insns, x->verified_insns);
}

/* By name, each with the largest count of any run. */
static int largest_programs(const struct run *run, programs *to)
{
	size_t kept = 0;

	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
		for (size_t k = 0; k < s->program_count; k++) {
			int rc = vec_push(to, s->programs[k]);

			if (rc < 0)
				return rc;
		}
	}
	vec_sort(to, compare_programs);
	for (size_t i = 0; i < to->count; i++)
		if (!kept || !str_eq(to->items[kept - 1].name, to->items[i].name))
			to->items[kept++] = to->items[i];
	to->count = kept;
	return 0;
}

static double limit_percent(const struct sidecar_program *p)
{
	return (double)p->verified_insns * 100 / VERIFIER_LIMIT;
}

static bool is_near_limit(const struct sidecar_program *p)
{
	return limit_percent(p) >= VERIFIER_NEAR_PERCENT;
}

int report_verifier(const struct run *run, struct str *out)
{
	_vec_ programs all = {};
	uint64_t total = 0;
	bool is_near = false;
	int rc = largest_programs(run, &all);

	if (rc < 0 || !all.count)
		return rc;
	str_addf(out, "\n=== BPF VERIFIER STATS ===\n\n  %-24s %12s %8s\n", "program", "verified",
		 "limit%");
	str_add(out, "  ------------------------ ------------ --------\n");
	vec_each(const struct sidecar_program, p, &all) {
		str_addf(out, "  %-24s %12llu %7.1f%%%s\n", p->name, ULL(p->verified_insns),
			 limit_percent(p), is_near_limit(p) ? " !" : "");
		total += p->verified_insns;
		is_near |= is_near_limit(p);
	}
	str_addf(out, "  total verified insns: %llu\n", ULL(total));
	if (is_near)
		str_add(out, "WARNING: programs near verifier complexity limit:\n");
	for (size_t i = 0; i < all.count; i++)
		if (is_near_limit(&all.items[i]))
			str_addf(out, "  %s: %llu\n", all.items[i].name,
				 ULL(all.items[i].verified_insns));
	return 0;
}

static void add_callback(const struct sidecar_callback *c, struct str *out)
{
	str_addf(out, "    %-24s %12llu %14llu %12llu\n", c->name, ULL(c->cnt), ULL(c->nsecs),
		 ULL(c->nsecs / c->cnt));
}

void report_callbacks(const struct run *run, struct str *out)
{
	bool is_titled = false;

	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
		bool is_named = false;

		for (size_t k = 0; k < s->monitor.callback_count; k++) {
			if (!s->monitor.callbacks[k].cnt)
				continue;
			if (!is_titled)
				str_add(out, "\n=== BPF CALLBACK PROFILE ===\n");
			if (!is_named)
				str_addf(out, "  %s (%s):\n    %-24s %12s %14s %12s\n",
					 s->test_name, s->topology, "program", "cnt", "total_ns",
					 "avg_ns");
			is_titled = is_named = true;
			add_callback(&s->monitor.callbacks[k], out);
		}
	}
}

/* ---- machines ---- */

struct kvm_field {
	const char *name, *label;
	int digits;
};

/* clang-format off */
static const struct kvm_field kvm_fields[] = {
	{ "exits_per_vcpu", "exits/vcpu", 0 }, { "halt_per_vcpu", "halt/vcpu", 0 },
	{ "halt_wait_ms", "halt_wait_ms", 1 }, { "poll_ok_pct", "poll_ok%", 1 },
	{ "preempted_per_vcpu", "preempted/vcpu", 0 }, { "signal_per_vcpu", "signal/vcpu", 0 },
};
/* clang-format on */

/* Sum over the VMs that report it. */
static double kvm_sum(const struct run *run, const char *name, size_t *count)
{
	double sum = 0, value;

	*count = 0;
	for (size_t i = 0; i < run->sidecars.count; i++) {
		if (!sidecar_pair_value(&run->sidecars.items[i]->kvm_stats, name, &value))
			continue;
		sum += value;
		++*count;
	}
	return sum;
}

static void report_kvm(const struct run *run, struct str *out)
{
	size_t machines = 0, count;
	double preemptions;

	for (size_t i = 0; i < run->sidecars.count; i++)
		machines += run->sidecars.items[i]->kvm_stats.is_known;
	if (!machines)
		return;
	str_addf(out, "\n=== KVM STATS (avg across %zu VMs) ===", machines);
	for (size_t f = 0; f < ARRAY_SIZE(kvm_fields); f++) {
		double sum = kvm_sum(run, kvm_fields[f].name, &count);

		str_addf(out, "%s  %s  ", f % 3 ? "" : "\n", kvm_fields[f].label);
		if (count)
			str_addf(out, "%.*f", kvm_fields[f].digits, sum / (double)count);
		else
			str_add(out, "-");
	}
	str_addc(out, '\n');
	preemptions = kvm_sum(run, "preempted", &count);
	if (preemptions > 0)
		str_addf(out, "  WARNING: %.0f host preemptions detected\n", preemptions);
}

/* CPU time that vCPUs lost to others: 1 + wait / run of the worst vCPU of each VM. */
static void report_host_time(const struct run *run, struct str *out)
{
	const struct sidecar *worst = NULL;
	double sum = 0, most = 0, value;
	size_t machines = 0;

	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
		if (!sidecar_pair_value(&s->host_time, "dilation", &value))
			continue;
		sum += value;
		machines++;
		if (worst && value <= most)
			continue;
		worst = s;
		most = value;
	}
	if (worst)
		str_addf(out,
			 "\n=== HOST TIME (avg across %zu VMs) ===\n  dilation  %.2f  worst  %.2f "
			 "(%s, %s)\n",
			 machines, sum / (double)machines, most, worst->test_name, worst->topology);
}

static void report_emulation(const struct run *run, struct str *out)
{
	double wall = 0, guest = 0;
	size_t machines = 0;

	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
		if (!s->accel || str_eq(s->accel, "kvm") || !s->duration_ms.is_known ||
		    !s->guest_ms.is_known)
			continue;
		wall += s->duration_ms.value;
		guest += s->guest_ms.value;
		machines++;
	}
	if (!machines)
		return;
	str_addf(out, "\n=== EMULATION STATS (avg across %zu VMs) ===\n", machines);
	str_addf(out, "  wall_ms  %.0f  virtual_ms  %.0f", wall / (double)machines,
		 guest / (double)machines);
	if (guest > 0)
		str_addf(out, "  wall/virtual  %.2f", wall / guest);
	str_addc(out, '\n');
}

void report_machines(const struct run *run, struct str *out)
{
	report_kvm(run, out);
	report_host_time(run, out);
	report_emulation(run, out);
}
