// SPDX-License-Identifier: GPL-2.0-only
/*
 * Going through a run that is made up: CPU 0 executes blocks 1 to 9, CPU 1 blocks 10 to 19 and so
 * on; a block has two instructions, at 1000 * block and the address behind. Each session is that
 * run, by the orders that the plugin would get.
 */
#include "unit.h"

#include <sys/socket.h>

#include "base/err.h"
#include "debug/parts.h"

#define BLOCKS 60
#define PER_BLOCK 2
#define TURN 10

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out);
int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm);

static unsigned int sessions;
static bool is_other_run; /* from the second session on */

int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm)
{
	(void)m;
	(void)vm;
	return -ENOENT;
}

static uint64_t address_at(uint64_t block, uint64_t index)
{
	return 1000 * block + index + (is_other_run && sessions > 1 ? 7 : 0);
}

static uint64_t base_at(uint64_t block)
{
	return 100 + block / TURN % 2;
}

struct fake {
	const struct vm_session *session;
	struct debug_order order;
	struct debug_event note;
	int fd, rc;
};

static void fake_stop(struct fake *f, uint64_t reason, uint64_t block, uint64_t index)
{
	struct debug_stop s = { .event = { debug_position(block, index), reason,
					   address_at(block, index), 0 },
				.note = f->note,
				.cpu = base_at(block) - 100,
				.cpu_base = base_at(block) };
	const struct vm_watcher *w = f->session->watcher;

	s.registers[DEBUG_rip] = address_at(block, index);
	f->note = (struct debug_event){};
	assert_int_equal(send(f->fd, &s, sizeof(s), 0), sizeof(s));
	assert_true(w->is_due(w->ctx));
	f->rc = w->look(w->ctx);
	if (f->rc == 0)
		assert_int_equal(recv(f->fd, &f->order, sizeof(f->order), MSG_DONTWAIT),
				 sizeof(f->order));
}

static bool is_place(const struct debug_order *o, uint64_t address)
{
	for (uint32_t i = 0; i < o->place_count; i++)
		if (o->places[i] == address)
			return true;
	return false;
}

static void execute(struct fake *f, uint64_t block, uint64_t index)
{
	uint64_t position = debug_position(block, index), address = address_at(block, index);
	bool is_step = f->order.step_cpu && f->order.step_cpu == base_at(block);

	if (position >= f->order.until)
		fake_stop(f, DEBUG_ARRIVED, block, index);
	else if (f->order.only_notes && position < f->order.notes_from)
		return;
	else if (!is_step && !is_place(&f->order, address))
		return;
	else if (f->order.only_notes)
		f->note = (struct debug_event){ position, is_step ? DEBUG_STEPPED : DEBUG_PLACE,
						address, 0 };
	else
		fake_stop(f, is_step ? DEBUG_STEPPED : DEBUG_PLACE, block, index);
}

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	struct fake f = { .session = s, .fd = s->plugin->fds[1] };

	sessions++;
	*out = (struct vm_result){};
	s->watcher->begin(s->watcher->ctx, NULL);
	fake_stop(&f, DEBUG_BEGINS, 1, 0);
	for (uint64_t i = PER_BLOCK; i < BLOCKS * PER_BLOCK && f.rc == 0; i++)
		execute(&f, i / PER_BLOCK, i % PER_BLOCK);
	s->watcher->end(s->watcher->ctx);
	return f.rc;
}

/* What is done where it stands, and where that leads. */
enum what { GO, STEP, BACK, STEP_BACK, STEP_BACK_OTHER, LEAVE };

struct script {
	struct {
		uint64_t rip; /* where it has to stand */
		bool is_beginning;
		enum what what;
	} rows[12];
	size_t at;
	struct debug_order order;
};

static int stands(void *ctx, struct travel *t)
{
	struct script *s = ctx;
	struct debug_order order = s->order;
	uint64_t other = t->stop.cpu_base == 100 ? 101 : 100;

	assert_int_equal(t->stop.registers[DEBUG_rip], s->rows[s->at].rip);
	assert_int_equal(t->is_beginning, s->rows[s->at].is_beginning);
	switch (s->rows[s->at++].what) {
	case GO:
		travel_forward(t, &order);
		return 0;
	case STEP:
		order.step_cpu = t->stop.cpu_base;
		travel_forward(t, &order);
		return 0;
	case BACK:
		travel_back(t, &order);
		return 0;
	case STEP_BACK:
		travel_step_back(t, t->stop.cpu_base);
		return 0;
	case STEP_BACK_OTHER:
		travel_step_back(t, other);
		return 0;
	default:
		return -ECANCELED;
	}
}

static int hear(void *ctx, struct travel *t)
{
	(void)ctx;
	(void)t;
	return 0;
}

/* Breakpoints at the beginnings of blocks 15, 33 and 50. */
static int go(struct script *script)
{
	struct vm_session session = { .spec.plugin_api = 4 };
	struct watch_layout layout = {};
	struct travel_driver driver = { .fd = -1, .stands = stands, .hear = hear, .ctx = script };
	struct vm_result result;
	struct travel t;
	int rc;

	sessions = 0;
	script->order = travel_order();
	script->order.places[0] = 15000;
	script->order.places[1] = 33000;
	script->order.places[2] = 50000;
	script->order.place_count = 3;
	travel_init(&t, &session, &layout, "", &driver);
	rc = travel_run(&t, &script->order, &result);
	travel_finish(&t);
	return rc;
}

static void forwards_it_is_one_session(void **state)
{
	struct script s = { .rows = { { 15000, false, GO },
				      { 33000, false, STEP },
				      { 33001, false, STEP },
				      { 34000, false, GO },
				      { 50000, false, GO } } };

	(void)state;
	assert_int_equal(go(&s), 0);
	assert_int_equal(s.at, 5);
	assert_int_equal(sessions, 1);
}

static void a_step_stays_on_its_cpu(void **state)
{
	struct script s = { .rows = { { 15000, false, STEP },
				      { 15001, false, STEP },
				      { 16000, false, STEP },
				      { 16001, false, STEP },
				      { 17000, false, LEAVE } } };

	(void)state;
	assert_int_equal(go(&s), -EINTR);
	assert_int_equal(s.at, 5);
}

static void backwards_it_is_two_sessions_more(void **state)
{
	struct script s = { .rows = { { 15000, false, GO },
				      { 33000, false, GO },
				      { 50000, false, BACK },
				      { 33000, false, BACK },
				      { 15000, false, BACK },
				      { 1000, true, GO },
				      { 15000, false, LEAVE } } };

	(void)state;
	assert_int_equal(go(&s), -EINTR);
	assert_int_equal(s.at, 7);
	assert_int_equal(sessions, 7);
}

/* CPU 1 has blocks 10 to 19 and 30 to 39. */
static void a_step_back_finds_the_instruction_before_on_its_cpu(void **state)
{
	struct script s = { .rows = { { 15000, false, GO },
				      { 33000, false, STEP },
				      { 33001, false, STEP_BACK },
				      { 33000, false, STEP_BACK },
				      { 32001, false, STEP_BACK_OTHER },
				      { 29001, false, STEP_BACK_OTHER },
				      { 19001, false, LEAVE } } };

	(void)state;
	assert_int_equal(go(&s), -EINTR);
	assert_int_equal(s.at, 7);
}

static void another_run_is_noticed(void **state)
{
	struct script s = { .rows = { { 15000, false, GO }, { 33000, false, BACK } } };

	(void)state;
	is_other_run = true;
	assert_int_equal(go(&s), -EIO);
	is_other_run = false;
	assert_non_null(strstr(err_text(-EIO), "the run was another one when it was run again"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forwards_it_is_one_session),
		cmocka_unit_test(a_step_stays_on_its_cpu),
		cmocka_unit_test(backwards_it_is_two_sessions_more),
		cmocka_unit_test(a_step_back_finds_the_instruction_before_on_its_cpu),
		cmocka_unit_test(another_run_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
