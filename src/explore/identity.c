// SPDX-License-Identifier: GPL-2.0-only
/* Compares two records, part by part. */
#include "explore/explore.h"

static void add_part(struct str *out, const char *what)
{
	str_addf(out, "%s%s", out->len ? "; " : "", what);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : !a && !b;
}

/* For hashes, only the fact that they differ is reported. */
static void compare_hash(struct str *out, const char *what, const char *was, const char *is)
{
	if (!is_same_text(was, is))
		add_part(out, what);
}

static void compare_text(struct str *out, const char *what, const char *was, const char *is)
{
	if (is_same_text(was, is))
		return;
	add_part(out, what);
	str_addf(out, " (%s, now %s)", was ? was : "unknown", is ? is : "unknown");
}

static void compare_number(struct str *out, const char *what, struct sidecar_number was,
			   struct sidecar_number is)
{
	if (was.is_known == is.is_known && was.value == is.value)
		return;
	add_part(out, what);
	if (was.is_known && is.is_known)
		str_addf(out, " (%g, now %g)", was.value, is.value);
}

static void add_words(struct str *out, const struct sidecar_strings *words)
{
	for (size_t i = 0; i < words->count; i++)
		str_addf(out, "%s%s", i ? " " : "", words->items[i]);
	if (!words->count)
		str_add(out, "none");
}

/* Finds the first difference; false if there is none. */
static bool find_difference(const struct sidecar_strings *was, const struct sidecar_strings *is,
			    size_t *at)
{
	size_t i = 0;

	while (i < was->count && i < is->count && str_eq(was->items[i], is->items[i]))
		i++;
	*at = i;
	return i < was->count || i < is->count;
}

static void compare_options(struct str *out, const struct sidecar_strings *was,
			    const struct sidecar_strings *is)
{
	size_t i;

	if (!find_difference(was, is, &i))
		return;
	add_part(out, "the options (");
	add_words(out, was);
	str_add(out, ", now ");
	add_words(out, is);
	str_addc(out, ')');
}

/* Reports the first word that differs, with its option. */
static void compare_qemu_options(struct str *out, const struct sidecar_strings *was,
				 const struct sidecar_strings *is)
{
	size_t i;

	if (!find_difference(was, is, &i))
		return;
	add_part(out, "QEMU's command line");
	if (i && i < was->count && i < is->count)
		str_addf(out, " (%s %s, now %s)", was->items[i - 1], was->items[i], is->items[i]);
}

static void compare_seed(struct str *out, const struct sidecar *was, const struct sidecar *is)
{
	if (was->has_seed == is->has_seed && was->seed == is->seed)
		return;
	add_part(out, "the seed");
	if (was->has_seed && is->has_seed)
		str_addf(out, " (%llu, now %llu)", ULL(was->seed), ULL(is->seed));
}

void identity_add_differences(const struct sidecar *was, const struct sidecar *is, struct str *out)
{
	compare_text(out, "the accelerator", was->accel, is->accel);
	compare_seed(out, was, is);
	compare_hash(out, "the kernel", was->kernel_hash, is->kernel_hash);
	compare_text(out, "the machine", was->topology, is->topology);
	compare_number(out, "the shift", was->icount_shift, is->icount_shift);
	compare_number(out, "the slice", was->slice_ns, is->slice_ns);
	if (was->sim_jitter != is->sim_jitter)
		add_part(out, "the jitter");
	compare_options(out, &was->run_options, &is->run_options);
	compare_text(out, "QEMU", was->qemu_version, is->qemu_version);
	/* The seed is part of the command line, and was reported already. */
	if (was->seed == is->seed)
		compare_qemu_options(out, &was->qemu_options, &is->qemu_options);
	compare_hash(out, "the scheduler's program", was->scheduler_hash, is->scheduler_hash);
	compare_hash(out, "the guest's files (test program, scheduler, include files, settings)",
		     was->initramfs_hash, is->initramfs_hash);
	compare_text(out, "the host's CPU", was->host_cpu_model, is->host_cpu_model);
}
