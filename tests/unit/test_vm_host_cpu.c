// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest under KVM makes of its caches, on paper: APIC IDs and cache leaves as QEMU writes
 * them for a command line, last-level caches as Linux reads them for a vendor, family and model.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "run/parts.h"
#include "vm/machine.h"

static char *root;

static int setup(void **state)
{
	(void)state;
	root = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(root);
	return 0;
}

static struct vm_host_cpu read_cpu(const char *cpuinfo)
{
	struct roots roots = { .proc = root };
	struct vm_host_cpu cpu;

	unit_write(root, "cpuinfo", cpuinfo);
	vm_host_cpu_read(&roots, &cpu);
	return cpu;
}

static void expect_cpu(const char *cpuinfo, const char *vendor, unsigned int family,
		       unsigned int model, const char *options)
{
	struct vm_host_cpu cpu = read_cpu(cpuinfo);

	assert_string_equal(cpu.vendor, vendor);
	assert_int_equal(cpu.family, family);
	assert_int_equal(cpu.model, model);
	assert_string_equal(vm_host_cpu_options(&cpu), options);
}

#define CPUINFO(vendor, family, model)                                                         \
	"processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family "\nmodel\t\t: " model \
	"\nmodel name\t: of some sort\nstepping\t: 2\n"                                        \
	"\nprocessor\t: 1\nvendor_id\t: other\ncpu family\t: 1\nmodel\t\t: 9\n"

static void the_hosts_processor_decides_what_a_guest_is_told(void **state)
{
	(void)state;
	expect_cpu(CPUINFO("AuthenticAMD", "25", "1"), "AuthenticAMD", 25, 1, ",topoext=on");
	expect_cpu(CPUINFO("AuthenticAMD", "26", "2"), "AuthenticAMD", 26, 2, ",topoext=on");
	expect_cpu(CPUINFO("AuthenticAMD", "23", "49"), "AuthenticAMD", 23, 49, ",topoext=on");
	expect_cpu(CPUINFO("AuthenticAMD", "23", "32"), "AuthenticAMD", 23, 32, ",topoext=on");
	expect_cpu(CPUINFO("AuthenticAMD", "23", "31"), "AuthenticAMD", 23, 31,
		   ",topoext=on,model=32");
	expect_cpu(CPUINFO("AuthenticAMD", "23", "1"), "AuthenticAMD", 23, 1,
		   ",topoext=on,model=32");
	expect_cpu(CPUINFO("AuthenticAMD", "21", "96"), "AuthenticAMD", 21, 96,
		   ",topoext=on,family=23,model=32");
	expect_cpu(CPUINFO("HygonGenuine", "24", "0"), "HygonGenuine", 24, 0,
		   ",topoext=on,vendor=AuthenticAMD,family=23,model=32");
	expect_cpu(CPUINFO("GenuineIntel", "6", "143"), "GenuineIntel", 6, 143, "");
}

static void saved_guests_depend_on_processor_and_kernel(void **state)
{
	struct roots roots = { .proc = root };
	_str_ struct str one = {}, none = {};

	(void)state;
	unit_write(root, "cpuinfo",
		   "vendor_id\t: V\ncpu family\t: 6\nmodel\t\t: 2\nmodel name\t: N\n"
		   "stepping\t: 3\nmicrocode\t: 0x4\ncpu MHz\t\t: 5\nflags\t\t: a b\n");
	unit_write(root, "sys/kernel/osrelease", "6.12.0\n");
	vm_host_cpu_identity(&roots, &one);
	assert_string_equal(str_get(&one), "host vendor_id V\nhost cpu family 6\nhost model 2\n"
					   "host stepping 3\nhost microcode 0x4\nhost flags a b\n"
					   "host kernel 6.12.0\n");
	roots.proc = "/nowhere";
	vm_host_cpu_identity(&roots, &none);
	assert_string_equal(str_get(&none), "");
}

static void processors_that_are_not_told_get_nothing(void **state)
{
	struct roots roots = { .proc = "/nowhere" };
	struct vm_host_cpu cpu = { .family = 7 };

	(void)state;
	vm_host_cpu_read(&roots, &cpu);
	assert_string_equal(cpu.vendor, "");
	assert_int_equal(cpu.family, 0);
	expect_cpu("", "", 0, 0, "");
	expect_cpu("processor\t: 0\nCPU implementer\t: 0x41\n", "", 0, 0, "");
	expect_cpu(CPUINFO("AuthenticAMD and more than fits", "x", "99999999999"),
		   "AuthenticAMD an", 0, 4294967295, "");
}

/* ---- what QEMU tells a guest ---- */

struct guest {
	char name[64]; /* for people */
	char vendor[VM_CPU_VENDOR_SIZE];
	unsigned int family, model;
	bool has_topoext;
	unsigned int sockets, dies, cores, threads;
	unsigned int die_shift, socket_shift; /* where a die's and a socket's number begin */
	unsigned int l3_threads;	      /* of the L3's leaf: how many share it */
	unsigned int nodes[VM_MAX_CPUS];      /* of each socket */
};

static unsigned int bits_for(unsigned int count)
{
	unsigned int bits = 0;

	while (1U << bits < count)
		bits++;
	return bits;
}

/* Properties of -cpu after the model's name, in their order. */
static void take_properties(struct guest *g, const char *cpu)
{
	_free_ char *copy = strdup(cpu);
	char *save = NULL;

	assert_string_equal(strtok_r(copy, ",", &save), "host");
	for (char *p = strtok_r(NULL, ",", &save); p; p = strtok_r(NULL, ",", &save))
		if (str_eq(p, "topoext=on"))
			g->has_topoext = true;
		else if (sscanf(p, "vendor=%15s", g->vendor) != 1 &&
			 sscanf(p, "family=%u", &g->family) != 1 &&
			 sscanf(p, "model=%u", &g->model) != 1)
			fail_msg("what is %s?", p);
}

static const char *word_after(const struct vm_argv *argv, const char *option)
{
	for (size_t i = 0; i + 1 < argv->count; i++)
		if (str_eq(argv->items[i], option))
			return argv->items[i + 1];
	fail_msg("there is no %s", option);
	return NULL;
}

/* Where -numa puts sockets; without it all are in one node. */
static void take_nodes(struct guest *g, const struct vm_argv *argv)
{
	unsigned int told = 0, node, socket;

	for (size_t i = 0; i + 1 < argv->count; i++)
		if (str_eq(argv->items[i], "-numa") &&
		    sscanf(argv->items[i + 1], "cpu,node-id=%u,socket-id=%u", &node, &socket) ==
			    2) {
			assert_true(socket < g->sockets);
			g->nodes[socket] = node;
			told++;
		}
	assert_true(told == 0 || told == g->sockets);
}

/* QEMU before 8.2 wrote the number of CPUs into the leaf, later ones the room for their IDs. */
static struct guest make_guest(const struct vm_host_cpu *cpu, const struct vm_topology *t,
			       bool is_new_qemu)
{
	_cleanup_(vm_argv_finish) struct vm_argv argv = {};
	struct guest g = { .family = cpu->family, .model = cpu->model };
	struct vm_spec spec = { .qemu = "qemu",
				.accel = VM_ACCEL_KVM,
				.host_cpu = *cpu,
				.has_smp_cache = is_new_qemu,
				.kernel = "k",
				.initrd = "i",
				.topology = *t,
				.memory_mib = 8192,
				.ram_paths = { "0", "1", "2", "3" },
				.channel_path = "c",
				.console_path = "1",
				.control_path = "2",
				.mode = "exec" };
	unsigned int cpus;

	snprintf(g.vendor, sizeof(g.vendor), "%s", cpu->vendor);
	assert_int_equal(vm_machine_argv(&spec, &argv), 0);
	take_properties(&g, word_after(&argv, "-cpu"));
	assert_int_equal(sscanf(word_after(&argv, "-smp"),
				"cpus=%u,sockets=%u,dies=%u,cores=%u,threads=%u", &cpus, &g.sockets,
				&g.dies, &g.cores, &g.threads),
			 5);
	g.die_shift = bits_for(g.cores) + bits_for(g.threads);
	g.socket_shift = g.die_shift + bits_for(g.dies);
	g.l3_threads = is_new_qemu ? 1U << g.die_shift : g.cores * g.threads;
	take_nodes(&g, &argv);
	return g;
}

static unsigned int apic_id(const struct guest *g, unsigned int cpu)
{
	unsigned int thread = cpu % g->threads, core = cpu / g->threads % g->cores;
	unsigned int die = cpu / (g->threads * g->cores) % g->dies;

	return cpu / (g->threads * g->cores * g->dies) << g->socket_shift | die << g->die_shift |
	       core << bits_for(g->threads) | thread;
}

/* ---- what Linux makes of it ---- */

static unsigned int llc_of(const struct guest *g, unsigned int cpu)
{
	unsigned int id = apic_id(g, cpu), socket = id >> g->socket_shift;
	unsigned int by_leaf = id >> bits_for(g->l3_threads);

	if (str_eq(g->vendor, "GenuineIntel"))
		return by_leaf;
	if (str_eq(g->vendor, "HygonGenuine"))
		return id >> 3;
	if (g->family < 0x17 || !g->has_topoext)
		return socket;
	return g->family == 0x17 && g->model <= 0x1f ? id >> 3 : by_leaf;
}

/* Leaves 0xb, 0x1f and 0x8000001e tell how many bits of an APIC ID are the thread's. */
static unsigned int core_of(const struct guest *g, unsigned int cpu)
{
	return apic_id(g, cpu) >> bits_for(g->threads);
}

static unsigned int node_of(const struct guest *g, unsigned int cpu)
{
	return g->nodes[apic_id(g, cpu) >> g->socket_shift];
}

typedef unsigned int (*part_of)(const struct guest *g, unsigned int cpu);

/* CPUs are in the same part if and only if their numbers are in the same run of so many. */
static void expect_parts(const char *what, part_of part, unsigned int size, unsigned int cpus,
			 const struct guest *g)
{
	for (unsigned int i = 0; i < cpus; i++)
		for (unsigned int k = 0; k < cpus; k++)
			if ((part(g, i) == part(g, k)) != (i / size == k / size))
				fail_msg("%s: %s of CPU %u and CPU %u", g->name, what, i, k);
}

static void expect_caches(const char *cpu_name, const struct preset *p, struct guest *g)
{
	const struct vm_topology *t = &p->topology;
	unsigned int cpus = vm_topology_cpus(t);

	snprintf(g->name, sizeof(g->name), "%s on %s", p->name, cpu_name);
	assert_int_equal(g->sockets * g->dies * g->cores * g->threads, cpus);
	expect_parts("LLC", llc_of, t->cores * t->threads, cpus, g);
	expect_parts("core", core_of, t->threads, cpus, g);
	expect_parts("node", node_of, cpus / t->nodes, cpus, g);
	if (t->threads > 1 && !str_eq(g->vendor, "GenuineIntel"))
		assert_true(g->has_topoext); /* QEMU offers no SMT without it */
}

static void all_presets_have_their_caches_on_all_processors(void **state)
{
	static const struct {
		const char *name;
		struct vm_host_cpu cpu;
	} hosts[] = {
		{ "EPYC (Zen 1)", { "AuthenticAMD", 23, 1 } },
		{ "Ryzen (Zen+)", { "AuthenticAMD", 23, 8 } },
		{ "EPYC-Rome", { "AuthenticAMD", 23, 49 } },
		{ "EPYC-Milan", { "AuthenticAMD", 25, 1 } },
		{ "EPYC-Genoa", { "AuthenticAMD", 25, 17 } },
		{ "EPYC-Turin", { "AuthenticAMD", 26, 2 } },
		{ "Opteron_G5", { "AuthenticAMD", 21, 2 } },
		{ "Dhyana", { "HygonGenuine", 24, 0 } },
		{ "Skylake-Server", { "GenuineIntel", 6, 85 } },
		{ "SapphireRapids", { "GenuineIntel", 6, 143 } },
	};
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		for (const struct preset *p = presets; p->name; p++) {
			struct guest older = make_guest(&hosts[i].cpu, &p->topology, false);
			struct guest newer = make_guest(&hosts[i].cpu, &p->topology, true);

			expect_caches(hosts[i].name, p, &older);
			expect_caches(hosts[i].name, p, &newer);
			count++;
		}
	assert_int_equal(count, 240);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hosts_processor_decides_what_a_guest_is_told),
		cmocka_unit_test(saved_guests_depend_on_processor_and_kernel),
		cmocka_unit_test(processors_that_are_not_told_get_nothing),
		cmocka_unit_test(all_presets_have_their_caches_on_all_processors),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
