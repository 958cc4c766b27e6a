// SPDX-License-Identifier: GPL-2.0-only
/* Builds variants from tests, machines, profiles and kernels, and selects among them. */
#include "run/parts.h"

#define DEMO_PREFIX "demo_"
#define NO_SCHEDULER "eevdf"

struct lister {
	const struct variants_request *request;
	struct variants *out;
	const struct test_program *program;
	const char *binary_id;
	const struct probe_test *test;
	const struct probe_sched *sched;
	struct profile_flags flags;
	uint64_t required, excluded;
};

const char *topology_text(const struct vm_topology *t)
{
	static _Thread_local char text[64];

	snprintf(text, sizeof(text), "%un%ul%uc%ut", t->nodes, t->llcs, t->cores, t->threads);
	return text;
}

static const char *copy_text(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* Name of the nearest parent directory with a repository, or of the file's own directory. */
static char *binary_id_of(const char *path, const char *name)
{
	_free_ char *dir = strdup(path), *suite = NULL;
	char *slash;

	while (dir && (slash = strrchr(dir, '/')) && slash != dir) {
		_free_ char *git = NULL;

		*slash = '\0';
		git = str_fmt("%s/.git", dir);
		if (!suite)
			suite = strdup(strrchr(dir, '/') + 1);
		if (git && access(git, F_OK) == 0) {
			free(suite);
			suite = strdup(strrchr(dir, '/') + 1);
			break;
		}
	}
	return str_fmt("%s::%s", suite ? suite : "tests", name);
}

static int read_flags(struct lister *l)
{
	int rc;

	l->flags.count = 0;
	l->required = l->excluded = 0;
	if (!l->sched)
		return 0;
	rc = profile_flags_read(&l->flags, l->sched);
	l->required = profile_mask(&l->flags, &l->test->required_flags);
	l->excluded = profile_mask(&l->flags, &l->test->excluded_flags);
	return rc;
}

static bool is_ignored(const struct lister *l, const struct preset *preset)
{
	return preset || l->test->ignore || str_starts(l->test->name, DEMO_PREFIX);
}

static int name_variant(const struct lister *l, struct variant *v)
{
	const struct variants_request *r = l->request;
	_str_ struct str name = {};

	str_addf(&name, "%s/%s", v->preset ? "gauntlet" : "ktstr", l->test->name);
	if (v->preset)
		str_addf(&name, "/%s", v->preset->name);
	if (v->preset && v->profile)
		str_addf(&name, "/%s", v->profile);
	v->plain_len = name.len;
	if (r->kernel_count > 1 && !l->test->host_only)
		str_addf(&name, "/%s", r->kernel_labels[v->kernel]);
	v->name = str_check(&name) == 0 ? arena_copy(&l->out->arena, name.s, name.len) : NULL;
	return v->name ? 0 : err_no_memory();
}

static int add_variant(struct lister *l, const struct preset *preset, uint64_t flags, size_t kernel)
{
	struct variant v = { .binary_id = l->binary_id,
			     .program = l->program,
			     .test = l->test,
			     .sched = l->sched,
			     .preset = preset,
			     .flags = flags,
			     .kernel = kernel,
			     .topology = preset ? preset->topology : run_topology_of(l->test),
			     .has_own_nodes = !preset,
			     .memory_mib = l->test->memory_mib,
			     .is_ignored = is_ignored(l, preset) };

	if (preset && preset->memory_mib > v.memory_mib)
		v.memory_mib = preset->memory_mib;
	if (l->flags.count) {
		v.profile = profile_name(&l->flags, flags, &l->out->arena);
		if (!v.profile)
			return err_no_memory();
	}
	return name_variant(l, &v) ?: vec_push(&l->out->items, v);
}

static int add_on_kernels(struct lister *l, const struct preset *preset, uint64_t flags)
{
	size_t kernels = l->test->host_only ? 1 : MAX(l->request->kernel_count, (size_t)1);
	int rc = 0;

	for (size_t i = 0; i < kernels && rc == 0; i++)
		rc = add_variant(l, preset, flags, i);
	return rc;
}

static int add_gauntlet(struct lister *l)
{
	const struct preset_host *host = l->test->performance_mode ? l->request->host : NULL;
	uint64_t *profiles;
	size_t count;
	int rc = profiles_list(&l->flags, l->required, l->excluded, &l->out->arena, &profiles,
			       &count);

	if (rc < 0)
		return err_wrap(rc, "test '%s'", l->test->name);
	for (const struct preset *p = presets; p->name; p++) {
		if (!preset_is_accepted(p, l->request->arch, &l->test->constraints, host))
			continue;
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = add_on_kernels(l, p, profiles[i]);
	}
	return rc;
}

static int add_test(struct lister *l)
{
	int rc;

	l->sched = l->test->scheduler ? probe_find_sched(&l->program->probe, l->test->scheduler) :
					NULL;
	if (l->test->scheduler && !l->sched)
		return err_set(EINVAL, "%s: test '%s' names a scheduler '%s' that is not declared",
			       l->program->path, l->test->name, l->test->scheduler);
	rc = read_flags(l) ?: add_on_kernels(l, NULL, l->required);
	if (rc == 0 && !l->test->host_only)
		rc = add_gauntlet(l);
	return rc;
}

static int add_program(struct lister *l)
{
	_free_ char *id = binary_id_of(test_program_origin(l->program), l->program->name);
	int rc = 0;

	l->binary_id = copy_text(&l->out->arena, id);
	if (!l->binary_id)
		return err_no_memory();
	for (size_t i = 0; i < l->program->probe.tests.count && rc == 0; i++) {
		l->test = &l->program->probe.tests.items[i];
		rc = add_test(l);
	}
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct variant *const *)a)->name, (*(struct variant *const *)b)->name);
}

static int mark_namesakes(struct variants *v)
{
	size_t count = v->items.count;
	_free_ struct variant **sorted = calloc(count + 1, sizeof(struct variant *));

	if (!sorted)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		sorted[i] = &v->items.items[i];
	qsort(sorted, count, sizeof(struct variant *), by_name);
	for (size_t i = 1; i < count; i++)
		if (by_name(&sorted[i - 1], &sorted[i]) == 0)
			sorted[i - 1]->has_namesake = sorted[i]->has_namesake = true;
	return 0;
}

void variant_add_name(const struct variant *v, struct str *out)
{
	if (v->has_namesake)
		str_addf(out, "%s ", v->binary_id);
	str_add(out, v->name);
}

int variants_list(const struct variants_request *r, struct variants *out)
{
	struct lister l = { .request = r, .out = out };
	int rc = 0;

	*out = (struct variants){};
	for (size_t i = 0; i < r->programs->items.count && rc == 0; i++) {
		l.program = &r->programs->items.items[i];
		rc = add_program(&l);
	}
	rc = rc ?: mark_namesakes(out);
	if (rc < 0)
		variants_finish(out);
	return rc;
}

void variants_finish(struct variants *v)
{
	free(v->items.items);
	arena_finish(&v->arena);
	*v = (struct variants){};
}

static unsigned int known_flags(const struct probe_texts *names)
{
	unsigned int mask = 0;

	for (size_t i = 0; i < names->count; i++)
		mask |= selection_flag(names->items[i]);
	return mask;
}

static unsigned int known_active_flags(const struct variant *v)
{
	unsigned int mask = 0;

	for (size_t i = 0; v->sched && i < v->sched->flags.count; i++)
		if (v->flags >> i & 1)
			mask |= selection_flag(v->sched->flags.items[i].name);
	return mask;
}

static void variant_describe(const struct variant *v, struct selection_item *item)
{
	*item = (struct selection_item){
		.name = v->name,
		.hashed_name = v->preset ? v->name : v->test->name,
		.scheduler = v->sched ? v->sched->name : NO_SCHEDULER,
		.required_flags = known_flags(&v->test->required_flags),
		.excluded_flags = known_flags(&v->test->excluded_flags),
		.active_flags = known_active_flags(v),
		.nodes = v->topology.nodes,
		.llcs = v->topology.llcs,
		.cpus = vm_topology_cpus(&v->topology),
		.threads = v->topology.threads,
		.is_performance = v->test->performance_mode,
		.is_host_only = v->test->host_only,
		.expects_error = v->test->expect_err,
		.is_gauntlet = v->preset,
		.duration_s = (double)v->test->duration_ms / 1000,
		.workers = (unsigned int)v->test->workers_per_cgroup,
	};
}

void variant_set_topology(struct variant *v, const struct vm_topology *topology)
{
	v->topology = *topology;
	v->has_own_nodes = false;
}

static bool has_substring(const struct variants_choice *c, const char *name)
{
	for (size_t i = 0; i < c->substring_count; i++)
		if (strstr(name, c->substrings[i]))
			return true;
	return c->substring_count == 0;
}

static bool is_wanted(const struct variants_choice *c, const struct variant *v)
{
	_free_ char *plain = c->is_any_kernel ? strndup(v->name, v->plain_len) : NULL;
	struct filter_subject subject = { .test = plain ? plain : v->name,
					  .binary = v->program->name,
					  .binary_id = v->binary_id };

	if (c->ignored == RUN_IGNORED_DEFAULT && v->is_ignored)
		return false;
	if (c->ignored == RUN_IGNORED_ONLY && !v->is_ignored)
		return false;
	if (c->is_performance_only && !v->test->performance_mode)
		return false;
	return has_substring(c, v->name) && (!c->filter || filter_matches(c->filter, &subject));
}

/* Applies budget and shard to the selected variants. */
static int narrow(struct variants_chosen *out, const struct variants_choice *choice)
{
	size_t count = out->items.count, kept = 0;
	_free_ struct selection_item *items = calloc(count + 1, sizeof(*items));
	_free_ bool *is_chosen = calloc(count + 1, sizeof(*is_chosen));
	int rc;

	if (!items || !is_chosen)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		variant_describe(out->items.items[i], &items[i]);
		is_chosen[i] = true;
	}
	if (choice->budget_s > 0)
		selection_by_budget(items, count, choice->budget_s, is_chosen, &out->budget);
	rc = shard_apply(&choice->shard, items, count, is_chosen);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		if (is_chosen[i])
			out->items.items[kept++] = out->items.items[i];
	out->filtered_out += count - kept;
	out->items.count = kept;
	return 0;
}

int variants_choose(const struct variants *v, const struct variants_choice *choice,
		    struct variants_chosen *out)
{
	int rc = 0;

	*out = (struct variants_chosen){};
	for (size_t i = 0; i < v->items.count && rc == 0; i++) {
		if (is_wanted(choice, &v->items.items[i]))
			rc = vec_push(&out->items, &v->items.items[i]);
		else
			out->filtered_out++;
	}
	if (rc == 0 && (choice->budget_s > 0 || choice->shard.count))
		rc = narrow(out, choice);
	if (rc < 0)
		variants_chosen_finish(out);
	return rc;
}

void variants_chosen_finish(struct variants_chosen *c)
{
	free(c->items.items);
	*c = (struct variants_chosen){};
}

static int by_program_and_name(const void *a, const void *b)
{
	const struct variant *x = *(const struct variant *const *)a;
	const struct variant *y = *(const struct variant *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->binary_id, y->binary_id);
}

int variants_check_names(const struct variants_chosen *c)
{
	size_t bytes = c->items.count * sizeof(*c->items.items);
	_free_ const struct variant **sorted = malloc(bytes ? bytes : 1);

	if (!sorted)
		return err_no_memory();
	if (bytes)
		memcpy(sorted, c->items.items, bytes);
	qsort(sorted, c->items.count, sizeof(*sorted), by_program_and_name);
	for (size_t i = 1; i < c->items.count; i++)
		if (by_program_and_name(&sorted[i - 1], &sorted[i]) == 0)
			return err_set(EINVAL, "the test '%s' is in %s and in %s: name one of them",
				       sorted[i]->test->name,
				       test_program_origin(sorted[i - 1]->program),
				       test_program_origin(sorted[i]->program));
	return 0;
}
