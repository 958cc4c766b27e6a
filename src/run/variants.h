/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From declared tests to the list of what could be run: every test as it was
 * declared, and its gauntlet of machines and profiles, on every kernel. Then the
 * choice among them.
 */
#ifndef KTSTR_RUN_VARIANTS_H
#define KTSTR_RUN_VARIANTS_H

#include "run/discover.h"
#include "run/selection.h"
#include "run/presets.h"
#include "vm/spec.h"

struct variant {
	const char *name;      /* "ktstr/two_cgroups", "gauntlet/two_cgroups/tiny-1llc" */
	size_t plain_len;      /* of the name, as far as the kernel's label */
	const char *binary_id; /* "suite::binary" */
	const struct test_program *program; /* NULL = one worker per CPU that spins */
	const struct probe_test *test;
	const struct probe_sched *sched; /* NULL = the kernel's own */
	const struct preset *preset;	 /* NULL = the machine that the test declares */
	uint64_t flags;			 /* of the scheduler, bit i = its flag i */
	const char *profile;		 /* "llc+steal", "default"; NULL = it has no flags */
	size_t kernel;			 /* index; 0 also for tests that need none */
	struct vm_topology topology;
	bool has_own_nodes; /* the machine is the test's: so are .nodes and .distances */
	uint64_t memory_mib;
	bool is_ignored;
	bool has_namesake; /* another program has a test of this name */
};

struct variants {
	VEC(struct variant) items;
	struct arena arena;
};

struct variants_request {
	const struct test_programs *programs;
	const char *const *kernel_labels; /* as many as kernels; used from two on */
	size_t kernel_count;
	enum vm_arch arch;
	const struct preset_host *host; /* limits performance mode */
};

/* -EINVAL with a message for flags that no profile can satisfy. */
int variants_list(const struct variants_request *r, struct variants *out);
void variants_finish(struct variants *v);

#define _variants_ _cleanup_(variants_finish)

enum run_ignored { RUN_IGNORED_DEFAULT, RUN_IGNORED_ONLY, RUN_IGNORED_ALL };

struct variants_choice {
	struct filter *filter;	       /* or NULL */
	bool is_any_kernel;	       /* the filter sees names without the kernel's label */
	const char *const *substrings; /* one of them has to be part of the name */
	size_t substring_count;
	enum run_ignored ignored;
	bool is_performance_only; /* KTSTR_PERF_ONLY */
	double budget_s;	  /* 0 = none */
	struct shard shard;
};

struct variants_chosen {
	VEC(const struct variant *) items; /* in the order of the list */
	size_t filtered_out;
	struct selection_summary budget; /* total 0 = there was none */
};

int variants_choose(const struct variants *v, const struct variants_choice *choice,
		    struct variants_chosen *out);
void variants_chosen_finish(struct variants_chosen *c);

/*
 * Programs of one name with a test of one name, such as a C file and what was built from it:
 * -EINVAL naming both.
 */
int variants_check_names(const struct variants_chosen *c);

/* Its name, where that is not its own after that of its program. */
void variant_add_name(const struct variant *v, struct str *out);

/* Another machine, whose nodes are all alike. */
void variant_set_topology(struct variant *v, const struct vm_topology *topology);

/* "1n2l4c1t"; the memory is static to the thread and overwritten by the next call. */
const char *topology_text(const struct vm_topology *t);

#endif
