// SPDX-License-Identifier: GPL-2.0-only
/* What a run finds out of its machine, with a QEMU that a test plays, and which presets fit. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "run/parts.h"

static int qemu_rc, choose_rc;
static size_t bases_before_error, bases;
static enum vm_accel chosen;
static const char *found_no_kvm; /* while an accelerator was chosen */
static bool is_kvm_asked;

int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out);
int __wrap_vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
			   enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm);
enum kvm_state __wrap_vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why);
int __wrap_initramfs_base_get(const struct initramfs_base_spec *spec, struct initramfs_base *out);

int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out)
{
	assert_int_equal(arch, vm_arch_host());
	*out = (struct vm_qemu){ .major = 9 };
	return qemu_rc < 0 ? err_set(-qemu_rc, "no QEMU") : 0;
}

int __wrap_vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
			   enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm)
{
	(void)arch;
	assert_string_equal(wanted, "any");
	assert_int_equal(qemu->major, 9);
	assert_int_equal(fallback, VM_ACCEL_SIM);
	*out = chosen;
	str_add(no_kvm, found_no_kvm ? found_no_kvm : "");
	return choose_rc < 0 ? err_set(-choose_rc, "no such accelerator") : 0;
}

enum kvm_state __wrap_vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why)
{
	(void)qemu;
	(void)arch;
	is_kvm_asked = true;
	str_add(why, "asked");
	return 0;
}

int __wrap_initramfs_base_get(const struct initramfs_base_spec *spec, struct initramfs_base *out)
{
	(void)out;
	assert_non_null(spec->kernel->key);
	if (bases == bases_before_error)
		return err_set(EIO, "no base");
	bases++;
	return 0;
}

static int start(void **state)
{
	(void)state;
	qemu_rc = choose_rc = 0;
	bases = 0;
	bases_before_error = 99;
	chosen = VM_ACCEL_KVM;
	found_no_kvm = NULL;
	is_kvm_asked = false;
	return 0;
}

#define MACHINE(f) cmocka_unit_test_setup(f, start)

static struct run_machine machine;
static struct run_world world;

static int prepare(void)
{
	static char *const keys[] = { (char *)"a", (char *)"b" };
	struct run_kernel items[2] = {};
	struct run_kernels kernels = { .items = { .items = items, .count = 2 } };
	int rc;

	for (size_t i = 0; i < 2; i++)
		items[i].image.key = keys[i];
	machine = (struct run_machine){};
	world = (struct run_world){};
	rc = run_machine_prepare_vm(&machine, "any", &kernels, &world);
	/* Its text is read before the machine is given up. */
	assert_true(!world.no_kvm || world.no_kvm == str_get(&machine.no_kvm));
	return rc;
}

static void a_machine_has_a_qemu_an_accelerator_and_bases(void **state)
{
	(void)state;
	assert_int_equal(prepare(), 0);
	assert_ptr_equal(world.qemu, &machine.qemu);
	assert_int_equal(world.accel, VM_ACCEL_KVM);
	assert_int_equal(bases, 2);
	assert_false(is_kvm_asked);
	assert_null(world.no_kvm);
	run_machine_finish(&machine);
}

static void what_a_machine_lacks_is_an_error(void **state)
{
	(void)state;
	qemu_rc = -ENOENT;
	assert_int_equal(prepare(), -ENOENT);
	assert_null(world.qemu);
	run_machine_finish(&machine);
	qemu_rc = 0;
	choose_rc = -EINVAL;
	assert_int_equal(prepare(), -EINVAL);
	assert_int_equal(bases, 0);
	run_machine_finish(&machine);
	choose_rc = 0;
	bases_before_error = 1;
	assert_int_equal(prepare(), -EIO);
	assert_int_equal(bases, 1);
	run_machine_finish(&machine);
	bases = bases_before_error = 0;
	assert_int_equal(prepare(), -EIO);
	assert_int_equal(bases, 0);
	run_machine_finish(&machine);
	err_clear();
}

/* Once: by whoever chose, or afterwards. */
static void why_there_is_no_kvm_is_known(void **state)
{
	(void)state;
	chosen = VM_ACCEL_SIM;
	assert_int_equal(prepare(), 0);
	assert_true(is_kvm_asked);
	assert_string_equal(world.no_kvm, "asked");
	run_machine_finish(&machine);
	start(NULL);
	chosen = VM_ACCEL_TCG;
	found_no_kvm = "no permission";
	assert_int_equal(prepare(), 0);
	assert_false(is_kvm_asked);
	assert_string_equal(world.no_kvm, "no permission");
	run_machine_finish(&machine);
}

static void the_host_is_read_once(void **state)
{
	(void)state;
	world = (struct run_world){};
	machine = (struct run_machine){};
	assert_int_equal(run_machine_read(&machine, true, &world), 0);
	assert_true(world.no_perf_mode);
	assert_ptr_equal(world.host, &machine.topology);
	assert_ptr_equal(world.allowed, &machine.allowed);
	assert_true(machine.allowed.count > 0);
	assert_true(machine.topology.cpu_count > 0);
	run_machine_finish(&machine);
}

/* ---- presets ---- */

static void presets_have_names(void **state)
{
	const char *const *names = preset_names();
	size_t count = 0;

	(void)state;
	for (; names[count]; count++)
		assert_string_equal(preset_by_name(names[count])->name, names[count]);
	assert_string_equal(names[0], "tiny-1llc");
	assert_ptr_equal(preset_by_name(names[count - 1]), preset_by_name(names[0]) + count - 1);
	assert_null(preset_by_name("huge"));
}

static void a_preset_has_to_fit(void **state)
{
	static const struct preset machine_of_16 = { "own", { 1, 2, 4, 2 }, 512 };
	static const struct preset odd = { "odd", { 1, 1, 3, 1 }, 512 };
	static const struct preset nodes = { "nodes", { 2, 2, 2, 1 }, 512 };
	static const struct preset wide = { "wide", { 1, 12, 16, 1 }, 512 };
	static const struct preset wider = { "wider", { 1, 13, 1, 1 }, 512 };
	static const struct preset larger = { "larger", { 1, 1, 193, 1 }, 512 };
	static const struct {
		const struct preset *preset;
		struct ktstr_constraints c;
		struct preset_host host; /* cpus: 0 = any host */
		bool is_arm64, expected;
	} rows[] = {
		{ &machine_of_16, {}, {}, false, true },
		{ &machine_of_16, {}, { 16, 2, 8 }, false, true },
		{ &machine_of_16, {}, { 15, 2, 8 }, false, false },
		{ &machine_of_16, {}, { 16, 1, 8 }, false, false },
		{ &machine_of_16, {}, { 16, 2, 7 }, false, false },
		{ &machine_of_16, {}, {}, true, false },
		{ &odd, {}, {}, true, true },
		{ &odd, { .requires_smt = true }, {}, false, false },
		{ &machine_of_16, { .requires_smt = true }, {}, false, true },
		{ &odd, { .requires_even_cpus = true }, {}, false, false },
		{ &machine_of_16, { .requires_even_cpus = true }, {}, false, true },
		{ &machine_of_16, { .min_cpus = 16 }, {}, false, true },
		{ &machine_of_16, { .min_cpus = 17 }, {}, false, false },
		{ &machine_of_16, { .max_cpus = 16 }, {}, false, true },
		{ &machine_of_16, { .max_cpus = 15 }, {}, false, false },
		{ &machine_of_16, { .min_llcs = 2 }, {}, false, true },
		{ &machine_of_16, { .min_llcs = 3 }, {}, false, false },
		{ &machine_of_16, { .max_llcs = 2 }, {}, false, true },
		{ &machine_of_16, { .max_llcs = 1 }, {}, false, false },
		/* Without bounds of its own a test has the usual ones. */
		{ &nodes, {}, {}, false, false },
		{ &nodes, { .max_numa_nodes = 2 }, {}, false, true },
		{ &nodes, { .min_numa_nodes = 3, .max_numa_nodes = 4 }, {}, false, false },
		{ &wide, {}, {}, false, true },
		{ &wider, {}, {}, false, false },
		{ &wider, { .max_llcs = 13 }, {}, false, true },
		{ &larger, {}, {}, false, false },
		{ &larger, { .max_cpus = 193 }, {}, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (preset_is_accepted(rows[i].preset,
				       rows[i].is_arm64 ? VM_ARCH_AARCH64 : VM_ARCH_X86_64,
				       &rows[i].c, rows[i].host.cpus ? &rows[i].host : NULL) !=
		    rows[i].expected)
			fail_msg("%zu: %s", i, rows[i].preset->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE(a_machine_has_a_qemu_an_accelerator_and_bases),
		MACHINE(what_a_machine_lacks_is_an_error),
		MACHINE(why_there_is_no_kvm_is_known),
		MACHINE(the_host_is_read_once),
		MACHINE(presets_have_names),
		MACHINE(a_preset_has_to_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
