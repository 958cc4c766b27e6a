// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a stopped guest through the page tables of its CPUs, and variables to watch. */
#include "unit.h"

#include "base/err.h"
#include "debug/parts.h"

#define PAGE 4096
#define KERNEL_TABLE 0x1000ULL
#define USER_TABLE 0x7000ULL
#define KERNEL 0xffff888000000000ULL
#define USER 0x400000ULL
#define PAGES 3

static char memory[2 * PAGES * PAGE]; /* of the kernel, then of a process */
#define USER_MEMORY (memory + sizeof(memory) / 2)
static bool has_kernel; /* the kernel's table has the kernel's pages */
static size_t writes;
static int write_rc, maps_rc, find_rc;
static struct trace_watch watch;
static struct travel travel;
static struct symbols symbols;
static struct view view;
static struct vm_memory guest;

bool __wrap_space_read(struct space *space, uint64_t address, void *out, size_t len);
bool __wrap_space_physical(struct space *space, uint64_t address, size_t len, uint64_t *physical);
int __wrap_vm_memory_write(const struct vm_memory *m, uint64_t physical, const void *data,
			   size_t len);
int __wrap_maps_read(struct maps *maps, struct space *space, unsigned int cpus);
int __wrap_watchpoint_find(const char *name, const struct symbols *of, const struct maps *maps,
			   const struct space *space, struct trace_watch *out);
const struct chase_types *__wrap_known_types_get(struct known_types *k, const char *vmlinux,
						 const char *scheduler);

/* Physical memory is both arrays, one behind the other. */
static bool find(const struct space *space, uint64_t address, size_t len, uint64_t *physical)
{
	bool is_user = space->top_table == USER_TABLE;
	uint64_t at = address - (is_user ? USER : KERNEL);

	assert_true(len && address % PAGE + len <= PAGE);
	assert_true(is_user || space->top_table == KERNEL_TABLE);
	if (at >= sizeof(memory) / 2 || (!is_user && !has_kernel))
		return false;
	*physical = at + (is_user ? sizeof(memory) / 2 : 0);
	return true;
}

bool __wrap_space_read(struct space *space, uint64_t address, void *out, size_t len)
{
	uint64_t physical;

	if (!find(space, address, len, &physical))
		return false;
	memcpy(out, memory + physical, len);
	return true;
}

bool __wrap_space_physical(struct space *space, uint64_t address, size_t len, uint64_t *physical)
{
	return find(space, address, len, physical);
}

int __wrap_vm_memory_write(const struct vm_memory *m, uint64_t physical, const void *data,
			   size_t len)
{
	assert_ptr_equal(m, &guest);
	writes++;
	if (write_rc < 0)
		return write_rc;
	memcpy(memory + physical, data, len);
	return 0;
}

int __wrap_maps_read(struct maps *maps, struct space *space, unsigned int cpus)
{
	(void)maps;
	assert_ptr_equal(space, &travel.space);
	assert_int_equal(cpus, 2);
	return maps_rc < 0 ? err_set(-maps_rc, "no maps") : 0;
}

int __wrap_watchpoint_find(const char *name, const struct symbols *of, const struct maps *maps,
			   const struct space *space, struct trace_watch *out)
{
	(void)maps;
	(void)space;
	assert_ptr_equal(of, &symbols);
	assert_string_equal(name, "state.list[2]");
	*out = watch;
	return find_rc < 0 ? err_set(-find_rc, "no such variable") : 0;
}

const struct chase_types *__wrap_known_types_get(struct known_types *k, const char *vmlinux,
						 const char *scheduler)
{
	(void)k;
	(void)vmlinux;
	(void)scheduler;
	return NULL;
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (char)(i * 7 + i / 256);
	has_kernel = true;
	writes = 0;
	write_rc = maps_rc = find_rc = 0;
	travel = (struct travel){ .has_space = true,
				  .space = { .memory = &guest, .top_table = KERNEL_TABLE } };
	travel.session.spec.topology = (struct vm_topology){ 1, 1, 2, 1 };
	travel.stop.cpu = 1;
	travel.stop.registers[DEBUG_cr3] = 0x8000000000000fffULL | USER_TABLE;
	view_init(&view, &travel, &symbols);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	view_reset(&view);
	err_clear();
	return 0;
}

static size_t read_at(unsigned int cpu, uint64_t address, char *out, size_t len)
{
	return view.guest.memory(view.guest.ctx, cpu, address, out, len);
}

static bool write_at(unsigned int cpu, uint64_t address, const char *data, size_t len)
{
	return view.guest.write(view.guest.ctx, cpu, address, data, len);
}

static void memory_is_read_page_by_page(void **state)
{
	static char copy[PAGES * PAGE];

	(void)state;
	assert_int_equal(read_at(1, KERNEL, copy, PAGE), PAGE);
	assert_memory_equal(copy, memory, PAGE);
	assert_int_equal(read_at(1, KERNEL + 100, copy, 2 * PAGE), 2 * PAGE);
	assert_memory_equal(copy, memory + 100, 2 * PAGE);
	/* As far as there is any. */
	assert_int_equal(read_at(1, KERNEL + 3 * PAGE - 10, copy, 20), 10);
	assert_memory_equal(copy, memory + 3 * PAGE - 10, 10);
}

/* Addresses that the kernel's table does not have are those of the CPU's process. */
static void memory_of_processes_is_that_of_their_cpu(void **state)
{
	char copy[20];

	(void)state;
	assert_int_equal(read_at(1, USER + PAGE - 5, copy, 20), 20);
	assert_memory_equal(copy, USER_MEMORY + PAGE - 5, 20);
	/* The registers of the other CPU cannot be asked for. */
	assert_int_equal(read_at(0, USER, copy, 20), 0);
	travel.stop.registers[DEBUG_cr3] = 0;
	assert_int_equal(read_at(1, USER, copy, 20), 0);
	assert_int_equal(read_at(1, KERNEL, copy, 20), 20);
	travel.has_space = false;
	assert_int_equal(read_at(1, KERNEL, copy, 20), 0);
}

static void memory_is_written_page_by_page(void **state)
{
	static char data[PAGE + 20];

	(void)state;
	memset(data, 'x', sizeof(data));
	data[10] = 'y';
	data[sizeof(data) - 1] = 'z';
	assert_true(write_at(0, KERNEL + PAGE - 10, data, sizeof(data)));
	assert_int_equal(writes, 3);
	assert_memory_equal(memory + PAGE - 10, data, sizeof(data));
	assert_int_equal(memory[PAGE - 11], (char)((PAGE - 11) * 7 + (PAGE - 11) / 256));
	assert_false(write_at(0, 0xdead0000, data, 8));
}

static void memory_of_processes_is_written_through_their_cpu(void **state)
{
	(void)state;
	assert_true(write_at(1, USER + PAGE - 2, "abcd", 4));
	assert_int_equal(writes, 2);
	assert_memory_equal(USER_MEMORY + PAGE - 2, "abcd", 4);
	assert_false(write_at(0, USER, "abcd", 4));
	travel.stop.registers[DEBUG_cr3] = 0;
	assert_false(write_at(1, USER, "abcd", 4));
	travel.stop.registers[DEBUG_cr3] = USER_TABLE;
	write_rc = -EFAULT;
	assert_false(write_at(1, KERNEL, "abcd", 4));
	travel.has_space = false;
	write_rc = 0;
	writes = 0;
	assert_false(write_at(1, KERNEL, "abcd", 4));
	assert_int_equal(writes, 0);
}

static void variables_are_watched_by_their_size(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 1, "watch -l *(unsigned char *)0xffff888000001234\n" },
		{ 2, "watch -l *(unsigned short *)0xffff888000001234\n" },
		{ 4, "watch -l *(unsigned int *)0xffff888000001234\n" },
		{ 8, "watch -l *(unsigned long *)0xffff888000001234\n" },
		{ 0, "watch -l *(unsigned char (*)[0])0xffff888000001234\n" },
		{ 3, "watch -l *(unsigned char (*)[3])0xffff888000001234\n" },
		{ 7, "watch -l *(unsigned char (*)[7])0xffff888000001234\n" },
		{ 9, "watch -l *(unsigned char (*)[9])0xffff888000001234\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		watch = (struct trace_watch){ KERNEL + 0x1234, rows[i].bytes };
		view.guest.monitor(view.guest.ctx, "var   state.list[2]", &out);
		assert_string_equal(str_get(&out), rows[i].text);
	}
}

static void why_there_is_no_variable_is_told(void **state)
{
	_str_ struct str first = {}, second = {};

	(void)state;
	maps_rc = -EIO;
	view.guest.monitor(view.guest.ctx, "var state.list[2]", &first);
	assert_string_equal(str_get(&first), "no maps\n");
	assert_string_not_equal(err_text(-EIO), "no maps");
	maps_rc = 0;
	find_rc = -ENOENT;
	view.guest.monitor(view.guest.ctx, "var state.list[2]", &second);
	assert_string_equal(str_get(&second), "no such variable\n");
}

static void positions_are_told(void **state)
{
	_str_ struct str out = {};

	(void)state;
	travel.stop.time_ns = 2345678901;
	travel.stop.event.position = debug_position(123456, 1023);
	view.guest.monitor(view.guest.ctx, "where", &out);
	assert_string_equal(str_get(&out),
			    "2.345678901s on CPU 1, block 123456, instruction 1023 of it\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(memory_is_read_page_by_page),
		TEST(memory_of_processes_is_that_of_their_cpu),
		TEST(memory_is_written_page_by_page),
		TEST(memory_of_processes_is_written_through_their_cpu),
		TEST(variables_are_watched_by_their_size),
		TEST(why_there_is_no_variable_is_told),
		TEST(positions_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
