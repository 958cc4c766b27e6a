// SPDX-License-Identifier: GPL-2.0-only
/* Fields that may be null, and what is needed to set them. */
#include "stats/stats.h"

/* Why a field of a record may be null. */
struct cause {
	const char *text;
	bool (*applies)(const struct sidecar *s); /* NULL = the record does not say */
};

struct optional {
	const char *name;
	bool (*is_known)(const struct sidecar *s); /* if it is not a field of the record itself */
	bool is_expected;			   /* null needs no action */
	struct cause causes[3];
	const char *fix;
};

static bool had_no_vm(const struct sidecar *s)
{
	return s->qemu_options.count == 0;
}

static bool had_vm(const struct sidecar *s)
{
	return !had_no_vm(s);
}

static bool was_sim(const struct sidecar *s)
{
	return s->accel && str_eq(s->accel, "sim");
}

static bool was_not_sim(const struct sidecar *s)
{
	return !was_sim(s);
}

static bool was_emulated(const struct sidecar *s)
{
	return had_vm(s) && s->accel && !str_eq(s->accel, "kvm");
}

static bool was_kvm(const struct sidecar *s)
{
	return had_vm(s) && !was_emulated(s);
}

static bool has_cached_kernel(const struct sidecar *s)
{
	return s->kernel_key != NULL;
}

static bool has_kernel_of_a_directory(const struct sidecar *s)
{
	return had_vm(s) && !s->kernel_key;
}

static bool had_program(const struct sidecar *s)
{
	return s->scheduler_hash != NULL;
}

static bool had_no_program(const struct sidecar *s)
{
	return !had_program(s);
}

static bool has_host(const struct sidecar *s)
{
	return s->host != NULL;
}

static bool has_events(const struct sidecar *s)
{
	for (size_t i = 0; i < s->phase_count; i++)
		if (s->phases[i].events.is_known)
			return true;
	return false;
}

/* clang-format off */
#define FIELD(member) .name = #member
#define OTHER(field, function) .name = field, .is_known = function

#define NO_VM { "no VM was started for it: the test runs on the host, or ended before", had_no_vm }

static const struct optional optionals[] = {
	{ FIELD(scheduler_commit), .is_expected = true,
	  .causes = { { "schedulers have no reliable way to tell the commit they were built from" } } },
	{ FIELD(scheduler_version), .is_expected = true,
	  .causes = { { "no program was run as the scheduler", had_no_program },
		      { "the scheduler's program prints no version for --version", had_program },
		      { "the record is of a time before versions were recorded", had_program } } },
	{ FIELD(project_commit),
	  .causes = { { "the working directory was not in a git tree" },
		      { "HEAD had no commit yet" } },
	  .fix = "run the tests inside a git tree that has a commit" },
	{ FIELD(payload), .is_expected = true, .causes = { { "the test declares no payload" } } },
	{ FIELD(monitor), .is_expected = true,
	  .causes = { NO_VM, { "the test has no scheduler, or the guest could not be watched", had_vm } } },
	{ FIELD(kvm_stats), .is_expected = true,
	  .causes = { NO_VM, { "the machine was emulated, not run by KVM", was_emulated },
		      { "the host's kernel showed no statistics of it", was_kvm } } },
	{ FIELD(host_time), .is_expected = true,
	  .causes = { NO_VM, { "time in sim does not depend on the host", was_sim },
		      { "the host's kernel has no schedstat of threads", was_not_sim } } },
	{ FIELD(kernel_version),
	  .causes = { NO_VM, { "the kernel's directory tells no version", had_vm } } },
	{ FIELD(kernel_commit),
	  .causes = { { "the kernel came from an archive or an image", has_cached_kernel },
		      { "the kernel's directory is not a git repository", has_kernel_of_a_directory },
		      NO_VM },
	  .fix = "point KTSTR_KERNEL at a git tree of the kernel" },
	{ OTHER("host", has_host),
	  .causes = { { "the record is of a time before hosts were recorded" } },
	  .fix = "run the test again" },
	{ FIELD(cleanup_duration_ms),
	  .causes = { NO_VM, { "the VM died before it could clean up", had_vm } } },
	{ FIELD(run_source),
	  .causes = { { "the record is of a time when the field was called 'source'" } },
	  .fix = "run the test again, or rename the field" },
	{ OTHER("events", has_events),
	  .causes = { { "the test has no phases, or switches the observer off" },
		      { "the kernel did not load the observer's BPF programs" },
		      { "the record is of a time before scheduling events were recorded" } } },
	{ FIELD(seed), .is_expected = true,
	  .causes = { { "the accelerator was not sim: nothing was drawn from a seed" } } },
	{ FIELD(digest), .is_expected = true,
	  .causes = { { "the accelerator was not sim: runs are not repeatable", was_not_sim },
		      { "the run did not come to its end", was_sim } } },
	{}
};
/* clang-format on */

static bool is_known(const struct optional *o, const struct sidecar *s)
{
	return o->is_known ? o->is_known(s) : sidecar_has(s, o->name);
}

static const char *classification(const struct optional *o)
{
	return o->is_expected ? "expected" : "actionable";
}

static size_t count_known(const struct sidecar *s)
{
	size_t count = 0;

	for (const struct optional *o = optionals; o->name; o++)
		count += is_known(o, s);
	return count;
}

static bool is_cause(const struct cause *c, const struct sidecar *s)
{
	return c->text && (!c->applies || c->applies(s));
}

static void add_cause(const struct optional *o, const struct sidecar *s, struct str *out)
{
	str_addf(out, "    %s [%s]\n", o->name, classification(o));
	for (size_t i = 0; i < ARRAY_SIZE(o->causes); i++)
		if (is_cause(&o->causes[i], s))
			str_addf(out, "      - %s\n", o->causes[i].text);
	if (o->fix)
		str_addf(out, "      fix: %s\n", o->fix);
}

static void add_sidecar(const struct sidecar *s, struct str *out)
{
	size_t known = count_known(s), all = ARRAY_SIZE(optionals) - 1;
	bool is_first = true;

	str_addf(out, "\ntest: %s\n  topology: %s\n  scheduler: %s\n", s->test_name, s->topology,
		 s->scheduler);
	str_addf(out, "  populated optional fields (%zu):", known);
	for (const struct optional *o = optionals; o->name; o++) {
		if (!is_known(o, s))
			continue;
		str_addf(out, "%s%s", is_first ? " " : ", ", o->name);
		is_first = false;
	}
	str_addf(out, "\n  none fields (%zu):\n", all - known);
	for (const struct optional *o = optionals; o->name; o++)
		if (!is_known(o, s))
			add_cause(o, s, out);
}

/* Explains an error if the parser's message does not. */
static const char *enriched(const struct run_problem *p)
{
	if (strstr(p->error, "schema_version"))
		return "written by another version of this program, or by another one";
	if (strstr(p->error, "the file is empty"))
		return "the disk was full, or the machine went down while it was written";
	if (strstr(p->error, "the text ends") || strstr(p->error, "expected"))
		return "the file was cut off or changed after it was written";
	return NULL;
}

static void add_problems(const struct run *run, bool is_io, struct str *out)
{
	size_t count = 0;

	for (size_t i = 0; i < run->problems.count; i++)
		count += run->problems.items[i].is_io == is_io;
	if (!count)
		return;
	str_addf(out, "\n%s (%zu):\n", is_io ? "io errors" : "corrupt sidecars", count);
	vec_each(const struct run_problem, p, &run->problems) {
		if (p->is_io != is_io)
			continue;
		str_addf(out, "  %s\n    error: %s\n", p->path, p->error);
		if (!is_io && enriched(p))
			str_addf(out, "    enriched: %s\n", enriched(p));
	}
}

void explain_text(const struct run *run, struct str *out)
{
	str_addf(out, "walked %zu sidecar file(s), parsed %zu valid\n", run->walked,
		 run->sidecars.count);
	for (size_t i = 0; i < run->sidecars.count; i++)
		add_sidecar(run->sidecars.items[i], out);
	add_problems(run, false, out);
	add_problems(run, true, out);
}

static void put_problems(const struct run *run, bool is_io, struct json *j)
{
	json_put_array(j, is_io ? "io_errors" : "errors");
	vec_each(const struct run_problem, p, &run->problems) {
		if (p->is_io != is_io)
			continue;
		json_object(j);
		json_put_string(j, "path", p->path);
		json_put_string(j, "error", p->error);
		if (!is_io)
			json_put_string(j, "enriched_message", enriched(p));
		json_object_end(j);
	}
	json_array_end(j);
}

/* Returns whether it applies to one of the records that lack the field. */
static bool is_cause_in(const struct run *run, const struct optional *o, const struct cause *c)
{
	for (size_t i = 0; i < run->sidecars.count; i++)
		if (!is_known(o, run->sidecars.items[i]) && is_cause(c, run->sidecars.items[i]))
			return true;
	return false;
}

static void put_field(const struct run *run, const struct optional *o, struct json *j)
{
	size_t known = 0;

	for (size_t i = 0; i < run->sidecars.count; i++)
		known += is_known(o, run->sidecars.items[i]);
	json_put_object(j, o->name);
	json_put_u64(j, "none_count", run->sidecars.count - known);
	json_put_u64(j, "some_count", known);
	json_put_string(j, "classification", classification(o));
	json_put_array(j, "causes");
	for (size_t i = 0; i < ARRAY_SIZE(o->causes); i++)
		if (is_cause_in(run, o, &o->causes[i]))
			json_string(j, o->causes[i].text);
	json_array_end(j);
	json_put_string(j, "fix", o->fix);
	json_object_end(j);
}

void explain_json(const struct run *run, struct json *j)
{
	json_object(j);
	json_put_string(j, "_schema_version", "1");
	json_put_object(j, "_walk");
	json_put_u64(j, "walked", run->walked);
	json_put_u64(j, "valid", run->sidecars.count);
	put_problems(run, false, j);
	put_problems(run, true, j);
	json_object_end(j);
	json_put_object(j, "fields");
	for (const struct optional *o = optionals; o->name; o++)
		put_field(run, o, j);
	json_object_end(j);
	json_object_end(j);
}
