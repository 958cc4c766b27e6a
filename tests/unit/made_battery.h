/* SPDX-License-Identifier: GPL-2.0-only */
/* A battery of two kernels and two machines, with runs that a test makes up. */
#ifndef KTSTR_TESTS_MADE_BATTERY_H
#define KTSTR_TESTS_MADE_BATTERY_H

#include "battery/summary.h"
#include "unit.h"

struct made_up {
	struct battery battery;
	struct battery_options options;
	/* One more of each than counts: a loop that goes too far finds it there. */
	struct run_kernel kernels[3];
	const char *dirs[3];
	struct variant variants[3];
	struct probe_test tests[3];
};

static inline void add_told_run(struct battery *b, struct battery_cell cell,
				enum test_status status, bool is_attached, const char *signature,
				const char *text)
{
	struct trial t = { .seed = cell.seed, .is_done = true, .status = status };

	t.signature = signature ? strdup(signature) : NULL;
	t.text = text ? strdup(text) : NULL;
	assert_int_equal(vec_push(&b->trials, t), 0);
	assert_int_equal(vec_push(&b->facts, (struct battery_fact){ .cell = cell,
								    .is_attached = is_attached }),
			 0);
}

static inline void add_run(struct battery *b, struct battery_cell cell, enum test_status status,
			   bool is_attached)
{
	const struct trial t = { .is_done = true, .status = status };
	bool has_failed = trial_has_failed(&t);

	add_told_run(b, cell, status, is_attached, has_failed ? "Stuck: worker # stuck #ms" : NULL,
		     has_failed ? "ktstr_test 'x' [topo=y] failed:\n  first line\n  second "
				  "\033[31mline\n\nafter the gap" :
				  NULL);
}

/* Leaves the last run in memory behind the others: a loop that goes too far finds it there. */
static inline void hide_last_run(struct battery *b)
{
	struct trial *t = &b->trials.items[--b->trials.count];

	b->facts.count--;
	free(t->signature);
	free(t->text);
	t->signature = (char *)"Stuck: worker # stuck #ms";
	t->text = (char *)"hidden";
}

static inline void make_up(struct made_up *m)
{
	static char *const args[] = { "--opt", "two words" };
	struct battery *b = &m->battery;

	*m = (struct made_up){
		.options = { .label = "ktstr",
			     .scheduler = "./scx_mine",
			     .args = args,
			     .arg_count = ARRAY_SIZE(args),
			     .seed = 1 },
		.kernels = { { .image.version = "7.2.13" },
			     { .image.version = "7.0.13" },
			     { .image.version = "hidden" } },
		.dirs = { "target/ktstr/7.2.13-x", "hidden", "hidden" },
	};
	b->options = &m->options;
	b->scheduler = "/x/scx_mine";
	b->seconds = 61.4;
	b->campaign.kernels.items.items = m->kernels;
	b->campaign.kernels.items.count = ARRAY_SIZE(m->kernels) - 1;
	b->campaign.dir_names = m->dirs;
	b->campaign.dir_name_count = 1;
	b->place_count = 2;
	b->places = calloc(3, sizeof(*b->places));
	for (size_t i = 0; i < 3; i++)
		b->places[i] = (struct battery_place){
			.name = battery_machines[i].name,
			.knobs.topology = battery_machines[i].topology,
		};
	for (size_t i = 0; i < ARRAY_SIZE(m->tests); i++) {
		m->tests[i].name = battery_rows[i].name;
		m->variants[i].test = &m->tests[i];
		assert_int_equal(vec_push(&b->campaign.chosen.items,
					  (const struct variant *)&m->variants[i]),
				 0);
	}
}

static inline void made_up_finish(struct made_up *m)
{
	trials_finish(m->battery.trials.items, m->battery.trials.count);
	free(m->battery.facts.items);
	battery_unjudged_finish(&m->battery);
	free(m->battery.places);
	free(m->battery.campaign.chosen.items.items);
}

#define CELL(r, m, k, s) ((struct battery_cell){ .row = r, .machine = m, .kernel = k, .seed = s })

#endif
