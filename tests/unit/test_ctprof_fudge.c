// SPDX-License-Identifier: GPL-2.0-only
/* Renamed cgroups: the numbers at which two are taken for one, and what is joined then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "report_fixture.h"

/* Names that differ in letters, so that no two share a skeleton. */
static void add_type_name(struct str *out, unsigned int type)
{
	str_addf(out, "t%c%c", 'g' + type / 10, 'g' + type % 10);
}

/* Threads of the types first..last in a cgroup, each with run_time_ns of 10. */
static void add_types(struct str *json, const char *cgroup, unsigned int first, unsigned int last)
{
	static unsigned int tid = 100;

	for (unsigned int type = first; type <= last; type++) {
		_str_ struct str name = {};

		add_type_name(&name, type);
		str_addf(json,
			 "%s{\"tid\":%u,\"tgid\":%u,\"pcomm\":\"p\",\"comm\":\"%s\","
			 "\"cgroup\":\"%s\",\"run_time_ns\":10,\"nice\":%u}",
			 json->len ? "," : "", tid, tid, str_get(&name), cgroup, type % 3);
		tid++;
	}
}

struct sides {
	struct str json[SIDES];
};

static void sides_finish(struct sides *s)
{
	str_finish(&s->json[BASELINE]);
	str_finish(&s->json[CANDIDATE]);
}

static void build(struct fixture *f, const struct sides *s)
{
	fixture_init(f, false);
	fixture_load(f, BASELINE, "", str_get(&s->json[BASELINE]));
	fixture_load(f, CANDIDATE, "", str_get(&s->json[CANDIDATE]));
	fixture_build(f);
}

static size_t pairs_of(unsigned int baseline_last, unsigned int candidate_first,
		       unsigned int candidate_last)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;

	add_types(&s.json[BASELINE], "/alpha", 0, baseline_last);
	add_types(&s.json[CANDIDATE], "/omega", candidate_first, candidate_last);
	build(&f, &s);
	return f.report.fudge.count;
}

static void test_ten_types_are_needed(void **state)
{
	(void)state;
	assert_int_equal(pairs_of(8, 0, 8), 0); /* 9 types, all of them in both */
	assert_int_equal(pairs_of(9, 0, 9), 1); /* 10 */
}

static void test_jaccard_of_nine_tenths(void **state)
{
	(void)state;
	/* 90 in common of 100: 0.90; 89 of 100: 0.89. */
	assert_int_equal(pairs_of(89, 0, 99), 1);
	assert_int_equal(pairs_of(88, 0, 99), 0);
	/* Different on both sides: 18 of 20, and 17 of 20. */
	assert_int_equal(pairs_of(18, 1, 19), 1);
	assert_int_equal(pairs_of(17, 1, 19), 0);
}

static void test_joined_groups(void **state)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;
	const struct group *g;

	(void)state;
	add_types(&s.json[BASELINE], "/alpha", 0, 18);
	add_types(&s.json[CANDIDATE], "/omega", 1, 19);
	build(&f, &s);
	g = fixture_group(&f, "tgh");
	assert_true(group_is_matched(g));
	assert_string_equal(g->fudged_from, "alpha");
	assert_string_equal(g->cgroup_shown, "/omega");
	assert_non_null(strstr(str_get(&f.text), "[fudged: alpha] tgh"));
	assert_non_null(strstr(str_get(&f.text), "## Fudged cgroup matches (1 pair(s))\n"
						 "  baseline:  /alpha\n"
						 "  candidate: /omega\n"
						 "    overlap: 18 thread types, Jaccard: 90.0%, "
						 "cascaded children: 0\n"
						 "    residual (baseline only): p:tgg\n"
						 "    residual (candidate only): p:thp\n"));
	assert_non_null(strstr(str_get(&f.text), "1 group(s) only in baseline (a.zst):"));
	assert_non_null(strstr(str_get(&f.text), "1 group(s) only in candidate (b.zst):"));
}

/* A cgroup with any group that matches by name is not renamed. */
static void test_matched_cgroups_stay(void **state)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;

	(void)state;
	add_types(&s.json[BASELINE], "/alpha", 0, 11);
	add_types(&s.json[CANDIDATE], "/omega", 0, 11);
	add_types(&s.json[CANDIDATE], "/alpha", 0, 0);
	build(&f, &s);
	assert_int_equal(f.report.fudge.count, 0);
}

/* Several candidates may have grown out of one baseline: their values add up. */
static void test_many_to_one(void **state)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;

	(void)state;
	add_types(&s.json[BASELINE], "/alpha", 0, 11);
	add_types(&s.json[CANDIDATE], "/omega", 0, 11);
	add_types(&s.json[CANDIDATE], "/sigma", 0, 11);
	build(&f, &s);
	assert_int_equal(f.report.fudge.count, 2);
	assert_int_equal(f.report.groups.count, 12);
	assert_string_equal(fixture_value(&f, "tgg", BASELINE, "run_time_ns"), "10ns");
	assert_string_equal(fixture_value(&f, "tgg", CANDIDATE, "run_time_ns"), "20ns");
	assert_string_equal(fixture_value(&f, "tgg", CANDIDATE, "thread_count"), "2");
	assert_string_equal(fixture_group(&f, "tgg")->cgroup_shown, "/omega");
}

/* The byte-smallest of two equally good baselines, and the better one of two. */
static void test_choice_of_baseline(void **state)
{
	_cleanup_(sides_finish) struct sides equal = {}, better = {};
	_fixture_ struct fixture f, g;

	(void)state;
	add_types(&equal.json[BASELINE], "/beta", 0, 11);
	add_types(&equal.json[BASELINE], "/alpha", 0, 11);
	add_types(&equal.json[CANDIDATE], "/omega", 0, 11);
	build(&f, &equal);
	assert_string_equal(f.report.fudge.pairs[0].cgroups[BASELINE], "/alpha");

	add_types(&better.json[BASELINE], "/alpha", 0, 10);
	add_types(&better.json[BASELINE], "/beta", 0, 11);
	add_types(&better.json[CANDIDATE], "/omega", 0, 11);
	build(&g, &better);
	assert_string_equal(g.report.fudge.pairs[0].cgroups[BASELINE], "/beta");
}

/* Below the roots, groups of the same relative path and names follow; siblings by prefix do not. */
static void test_cascade(void **state)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;
	const struct fudge_pair *p;

	(void)state;
	add_types(&s.json[BASELINE], "/job/alpha/main", 0, 11);
	add_types(&s.json[BASELINE], "/job/alpha/side", 30, 32);
	add_types(&s.json[BASELINE], "/job/alpha", 40, 40);
	add_types(&s.json[BASELINE], "/job/alphabet", 50, 50);
	add_types(&s.json[CANDIDATE], "/job/omega/main", 0, 11);
	add_types(&s.json[CANDIDATE], "/job/omega/side", 31, 33);
	add_types(&s.json[CANDIDATE], "/job/omega", 40, 40);
	add_types(&s.json[CANDIDATE], "/job/omegabet", 50, 50);
	build(&f, &s);
	assert_int_equal(f.report.fudge.count, 1);
	p = &f.report.fudge.pairs[0];
	assert_string_equal(p->roots[BASELINE], "/job/alpha");
	assert_string_equal(p->roots[CANDIDATE], "/job/omega");
	assert_int_equal(p->overlap, 12);
	assert_int_equal(p->cascaded, 3); /* two of side, and the root itself */
	assert_non_null(strstr(str_get(&f.text),
			       "    cascade roots: baseline=/job/alpha candidate=/job/omega\n"));
	assert_false(group_is_matched(fixture_group(&f, "tlg")));
}

/* Fudged rows are shown whatever the limit is. */
static void test_limit_spares_fudged_rows(void **state)
{
	_cleanup_(sides_finish) struct sides s = {};
	_fixture_ struct fixture f;
	size_t fudged = 0;

	(void)state;
	add_types(&s.json[BASELINE], "/alpha", 0, 9);
	add_types(&s.json[BASELINE], "/same", 60, 69);
	add_types(&s.json[CANDIDATE], "/omega", 0, 9);
	add_types(&s.json[CANDIDATE], "/same", 60, 69);
	fixture_init(&f, false);
	f.options.limit = 3;
	fixture_load(&f, BASELINE, "", str_get(&s.json[BASELINE]));
	fixture_load(&f, CANDIDATE, "", str_get(&s.json[CANDIDATE]));
	fixture_build(&f);
	for (size_t i = 0; i < f.report.primary.count; i++)
		fudged += f.report.groups.groups[f.report.primary.rows[i].group].fudge_pair !=
			  NOT_FUDGED;
	assert_int_equal(fudged, 10 * 3); /* thread_count, nice and run_time_ns of each */
	assert_int_equal(f.report.primary.count, fudged + 3);
	assert_int_equal(f.report.primary.cut, 10 * 3 - 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ten_types_are_needed),
		cmocka_unit_test(test_jaccard_of_nine_tenths),
		cmocka_unit_test(test_joined_groups),
		cmocka_unit_test(test_matched_cgroups_stay),
		cmocka_unit_test(test_many_to_one),
		cmocka_unit_test(test_choice_of_baseline),
		cmocka_unit_test(test_cascade),
		cmocka_unit_test(test_limit_spares_fudged_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
