// SPDX-License-Identifier: GPL-2.0-only
/* Processes that reserve CPUs of a machine on paper. */
#include "reserve_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "host/lock_holders.h"
#include "unit.h"

struct topology reserve_machine;
struct cpulist reserve_allowed;
char *reserve_dir;

struct reserve_request reserve_wanted(enum run_mode mode, size_t llcs, size_t cores)
{
	return (struct reserve_request){
		.mode = mode,
		.shape = { 1, llcs, cores, 1 },
		.topology = &reserve_machine,
		.allowed = &reserve_allowed,
		.lock_dir = reserve_dir,
	};
}

static void peer_main(const struct reserve_request *wanted, int out, int in)
{
	struct reservation r;
	int rc = reservation_acquire(&r, wanted);
	char byte = rc == 0 ? 'R' : 'X';

	if (write(out, &byte, 1) != 1)
		_exit(1);
	if (rc == 0 && write(out, r.plan.cpus, r.plan.cpu_count * sizeof(unsigned int)) < 0)
		_exit(1);
	close(out);
	while (read(in, &byte, 1) < 0 && errno == EINTR)
		;
	reservation_release(&r);
	_exit(rc < 0);
}

struct peer peer_start(const struct reserve_request *wanted)
{
	struct peer p = {};
	int out[2], in[2];

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	p.pid = fork();
	assert_true(p.pid >= 0);
	if (p.pid == 0) {
		close(out[0]);
		close(in[1]);
		peer_main(wanted, out[1], in[0]);
	}
	close(out[1]);
	close(in[0]);
	p.from = out[0];
	p.to = in[1];
	return p;
}

bool peer_is_served(struct peer *p)
{
	char byte = 0;
	ssize_t n;

	assert_int_equal(read(p->from, &byte, 1), 1);
	n = byte == 'R' ? read(p->from, p->cpus, sizeof(p->cpus)) : 0;
	assert_true(n >= 0);
	p->count = (size_t)n / sizeof(p->cpus[0]);
	return byte == 'R';
}

void peer_end(struct peer *p, bool by_force)
{
	if (by_force)
		kill(p->pid, SIGKILL);
	else
		assert_int_equal(write(p->to, "e", 1), 1);
	close(p->to);
	close(p->from);
	assert_int_equal(waitpid(p->pid, NULL, 0), p->pid);
}

size_t locks_held_by_us(void)
{
	_lock_table_ struct lock_table table = {};
	size_t count = 0;

	assert_int_equal(lock_table_read(&table, &roots_live), 0);
	for (size_t i = 0; i < table.entries.count; i++)
		count += table.entries.items[i].pid == getpid();
	return count;
}

int reserve_setup(void **state)
{
	(void)state;
	log_set_level(LOG_OFF);
	reserve_dir = unit_temp_create();
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	assert_int_equal(topology_from_notation(&reserve_machine, "2n4l8c2t"), 0);
	return cpulist_parse("0-63", &reserve_allowed);
}

int reserve_teardown(void **state)
{
	(void)state;
	assert_int_equal(locks_held_by_us(), 0);
	cpulist_finish(&reserve_allowed);
	topology_finish(&reserve_machine);
	unit_temp_remove(reserve_dir);
	return 0;
}
