/* SPDX-License-Identifier: GPL-2.0-only */
/* An object with a program, and what the analysis of its code says. */
#ifndef KTSTR_TESTS_CAST_SCENE_H
#define KTSTR_TESTS_CAST_SCENE_H

#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "bpf_object_maker.h"
#include "watch/cast.h"

static struct object_maker m;
static struct casts casts;
static struct btf kernel;

static inline int set_up(void **state)
{
	(void)state;
	om_begin(&m);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	casts_finish(&casts);
	btf_close(&kernel);
	return 0;
}

static inline void analyse(void)
{
	om_exit(&m);
	om_end(&m);
	casts_finish(&casts);
	assert_int_equal(cast_analysis(m.file, m.file_len, kernel.types ? &kernel : NULL, &casts),
			 0);
	assert_int_equal(casts.types.count, 1);
}

static inline void expect(enum cast_owner kind, const char *owner, uint32_t offset,
			  const char *target, enum cast_space space)
{
	const struct cast *c = casts_find(&casts, kind, owner, offset);

	if (!c)
		fail_msg("nothing is known of %s+%u", owner, offset);
	assert_string_equal(c->target, target);
	assert_int_equal(c->space, space);
}

static inline void expect_nothing(void)
{
	if (casts.items.count)
		fail_msg("%s+%u is said to be a pointer to %s", casts.items.items[0].owner,
			 casts.items.items[0].offset, casts.items.items[0].target);
	/* It was looked at. */
	assert_true(casts.candidates);
}

/* r6 = the task of the operation, r7 = a holder. */
static inline void begin(void)
{
	om_load(&m, OM_U64, 6, 1, 0);
	om_address(&m, 1, OM_SYM_HOLDERS, 0);
	om_helper(&m, 1);
	om_move(&m, 7, 0);
}

/* r8 = holder->a, as an address in the arena. */
static inline void begin_with_number(void)
{
	begin();
	om_load(&m, OM_U64, 8, 7, 0);
	om_cast(&m, 8, 8);
}

/* Accesses through r8 that only struct node has. */
static inline void read_node(void)
{
	om_load(&m, OM_U64, 0, 8, 0);
	om_load(&m, OM_U32, 0, 8, 8);
}

#define CAST_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
