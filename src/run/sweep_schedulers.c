// SPDX-License-Identifier: GPL-2.0-only
/* Selects the schedulers of a sweep, with their flags and kernels. */
#include "run/parts.h"

#include "kernel/ident.h"

#define FIXTURE "scx-ktstr"
#define LIST_FLAGS "--ktstr-list-flags"

static const char *keep(struct sweep *s, const char *text)
{
	return arena_copy(&s->arena, text, strlen(text));
}

/* ---- kernels ---- */

static bool is_in_range(const struct kernel_id *range, const struct kernel_version *v)
{
	return kernel_version_compare(v, &range->version) >= 0 &&
	       kernel_version_compare(v, &range->range_end) <= 0;
}

/* A version matches itself, a range its literal bounds, anything else by label. */
static bool matches_kernel(const char *wanted, const struct run_kernel *kernel)
{
	_kernel_id_ struct kernel_id id = {};
	_str_ struct str raw = {}, label = {};
	struct kernel_version version;
	bool has_version = kernel->image.version &&
			   kernel_version_parse(kernel->image.version, &version) == 0;

	if (kernel_id_parse(wanted, &id) < 0)
		return false;
	if (id.kind == KERNEL_ID_RANGE)
		return has_version && is_in_range(&id, &version);
	if (id.kind == KERNEL_ID_VERSION && has_version &&
	    kernel_version_compare(&id.version, &version) == 0)
		return true;
	if (kernel_label_raw(&raw, &id, false) < 0)
		return false;
	kernel_label_sanitize(&label, str_get(&raw));
	return str_eq(str_get(&label), kernel->label);
}

bool sweep_wants_kernel(const struct probe_sched *sched, const struct run_kernel *kernel)
{
	for (size_t i = 0; i < sched->kernels.count; i++)
		if (matches_kernel(sched->kernels.items[i], kernel))
			return true;
	return sched->kernels.count == 0;
}

/* ---- profiles ---- */

/* Parses "llc+steal" or "default"; flags required by others must be named, too. */
static int parse_profile(const struct sweep_scheduler *s, char *name, uint64_t *mask)
{
	char *rest = NULL;

	*mask = 0;
	if (str_eq(name, "default"))
		return 0;
	for (char *flag = strtok_r(name, "+", &rest); flag; flag = strtok_r(NULL, "+", &rest)) {
		uint64_t bit = profile_bit(&s->flags, flag);

		if (!bit)
			return err_set(EINVAL, "scheduler '%s' has no flag '%s'", s->name, flag);
		*mask |= bit;
	}
	for (size_t i = 0; i < s->flags.count; i++)
		if (*mask >> i & 1 && s->flags.items[i].needs & ~*mask)
			return err_set(EINVAL,
				       "flag '%s' of scheduler '%s' needs others that the profile "
				       "does not have",
				       s->flags.items[i].name, s->name);
	return *mask ? 0 : err_set(EINVAL, "a profile without a name");
}

static int parse_profiles(struct sweep *w, struct sweep_scheduler *s)
{
	_free_ char *list = strdup(w->options->profiles);
	char *rest = NULL;
	int rc = 0;

	s->masks = arena_alloc(&w->arena, (strlen(w->options->profiles) + 1) * sizeof(*s->masks));
	if (!list || !s->masks)
		return err_no_memory();
	for (char *name = strtok_r(list, ",", &rest); name && rc == 0;
	     name = strtok_r(NULL, ",", &rest))
		rc = parse_profile(s, name, &s->masks[s->mask_count++]);
	if (rc == 0 && s->mask_count == 0)
		rc = err_set(EINVAL, "--profiles names none");
	return rc;
}

static int choose_profiles(struct sweep *w, struct sweep_scheduler *s)
{
	int rc = 0;

	if (w->options->profiles || w->options->has_all_profiles)
		rc = profile_flags_read(&s->flags, &s->sched);
	if (rc == 0 && w->options->profiles)
		return parse_profiles(w, s);
	return rc ?: profiles_list(&s->flags, 0, 0, &w->arena, &s->masks, &s->mask_count);
}

/* ---- flags reported by the program ---- */

static bool is_declared(const struct probe_flag *flags, size_t count, const char *name)
{
	return array_find(flags, count, name, name);
}

static int check_flags(const struct probe_flag *flags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct probe_texts *needs = &flags[i].requires_flags;

		if (is_declared(flags, i, flags[i].name))
			return err_set(EINVAL, "flag '%s' is there twice", flags[i].name);
		for (size_t k = 0; k < needs->count; k++)
			if (!is_declared(flags, count, needs->items[k]))
				return err_set(EINVAL,
					       "flag '%s' requires '%s', which is not a flag",
					       flags[i].name, needs->items[k]);
	}
	return 0;
}

int sweep_flags_read(char *text, size_t len, struct arena *arena, struct probe_sched *out)
{
	int rc = probe_flags_from_json(out, arena, text, len);

	return rc ?: check_flags(out->flags.items, out->flags.count);
}

static int ask_flags(struct sweep *w, struct sweep_scheduler *s)
{
	_str_ struct str text = {};
	int rc;

	if (!w->options->has_all_profiles && !w->options->profiles)
		return 0;
	rc = scheduler_ask(s->path, LIST_FLAGS, &text);
	if (rc < 0)
		return rc;
	if (rc > 0)
		return err_set(EINVAL, "%s %s ended with status %d: it declares no flags", s->path,
			       LIST_FLAGS, rc);
	str_addc(&text, '\0');
	if (str_check(&text) < 0)
		return -ENOMEM;
	return err_wrap(sweep_flags_read(text.s, text.len - 1, &w->arena, &s->sched), "%s %s",
			s->path, LIST_FLAGS);
}

/* ---- schedulers ---- */

static int add_scheduler(struct sweep *w, struct sweep_scheduler *s)
{
	int rc = choose_profiles(w, s) ?: vec_push(&w->schedulers, *s);

	if (rc < 0)
		free(s->path);
	return rc;
}

static int add_program(struct sweep *w, const char *path)
{
	struct sweep_scheduler s = {};
	int rc = scheduler_program(path, &s.path);

	if (rc < 0)
		return rc;
	s.name = keep(w, w->options->scheduler ? w->options->scheduler : strrchr(s.path, '/') + 1);
	s.sched = (struct probe_sched){ .name = s.name, .binary_path = s.path };
	rc = s.name ? ask_flags(w, &s) : err_no_memory();
	if (rc < 0) {
		free(s.path);
		return rc;
	}
	return add_scheduler(w, &s);
}

static bool has_program(const struct probe_sched *sched)
{
	return sched->binary || sched->binary_path;
}

/* Adds the name to left_out, unless it is there: several programs may declare the scheduler. */
static int leave_out(struct sweep *w, const struct probe_sched *sched)
{
	if (str_index(w->left_out.items, w->left_out.count, sched->name) >= 0)
		return 0;
	if (has_program(sched))
		log_note("%s: scheduler '%s' is left out: there is no program %s",
			 w->options->label, sched->name,
			 sched->binary ? sched->binary : sched->binary_path);
	else
		log_note("%s: scheduler '%s' is left out: it is part of the kernel",
			 w->options->label, sched->name);
	return vec_push(&w->left_out, sched->name);
}

/* A declared scheduler whose program does not exist is left out: it was not built. */
static int add_declared(struct sweep *w, const struct test_program *program,
			const struct probe_sched *sched)
{
	struct scheduler_search where = { .program = program->path, .profile = "release" };
	struct sweep_scheduler s = { .name = sched->name, .sched = *sched };
	const char *source;
	int rc;

	if (vec_find(&w->schedulers, name, sched->name))
		return 0;
	if (w->options->scheduler && !str_eq(sched->name, w->options->scheduler))
		return 0;
	if (!has_program(sched))
		return leave_out(w, sched);
	rc = scheduler_find(sched, &where, &s.path, &source);
	if (rc == -ENOENT && !w->options->scheduler)
		return leave_out(w, sched);
	return rc ?: add_scheduler(w, &s);
}

static int add_all_declared(struct sweep *w)
{
	const struct discover_options usual = {};
	int rc = discover_programs(NULL, 0, &usual, &w->programs);

	vec_each_while(const struct test_program, p, &w->programs.items, rc == 0) {
		for (size_t k = 0; rc == 0 && k < p->probe.schedulers.count; k++)
			rc = add_declared(w, p, &p->probe.schedulers.items[k]);
	}
	return rc;
}

static int add_fixture(struct sweep *w)
{
	struct probe_sched fixture = { .name = FIXTURE, .binary = FIXTURE };
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct test_program program = { .path = self };

	if (len < 0)
		return err_sys(errno, "read /proc/self/exe");
	self[len] = '\0';
	return add_declared(w, &program, &fixture);
}

int sweep_find_schedulers(struct sweep *w)
{
	const char *wanted = w->options->scheduler;
	int rc;

	if (w->options->scheduler_bin)
		return add_program(w, w->options->scheduler_bin);
	rc = add_all_declared(w);
	/*
	 * No default if declared schedulers were left out: the sweep must not pass because of that.
	 */
	if (rc == 0 && w->schedulers.count == 0 && w->left_out.count == 0)
		rc = add_fixture(w);
	if (rc == 0 && w->schedulers.count == 0 && w->left_out.count == 0)
		rc = wanted ? err_set(ENOENT,
				      "no test program declares a scheduler '%s'; "
				      "--scheduler-bin names a program",
				      wanted) :
			      err_set(ENOENT, "there is no scheduler to verify: no test program "
					      "declares one; --scheduler-bin names a program");
	return rc;
}
