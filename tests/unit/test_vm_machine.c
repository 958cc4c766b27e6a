// SPDX-License-Identifier: GPL-2.0-only
/* The command lines of QEMU and of the guest kernel, for every accelerator and machine. */
#include "unit.h"

#include "base/err.h"
#include "vm/engine.h"
#include "vm/machine.h"

static struct vm_spec plain_spec(void)
{
	return (struct vm_spec){
		.qemu = "qemu",
		.accel = VM_ACCEL_TCG,
		.kernel = "/k/vmlinux",
		.initrd = "/proc/self/fd/9",
		.topology = { 1, 1, 2, 1 },
		.memory_mib = 512,
		.ram_paths = { "/r0", "/r1" },
		.channel_path = "/ch",
		.channel_bytes = 1 << 24,
		.console_path = "/con",
		.control_path = "/ctl",
		.qmp_fd = 5,
		.mode = "exec",
		.sim = { .seed = 7, .shift = 1 },
	};
}

/* The words, each on a line; the kernel's command line left out. */
static char *words(const struct vm_spec *spec)
{
	_cleanup_(vm_argv_finish) struct vm_argv argv = {};
	struct str text = {};

	assert_int_equal(vm_machine_argv(spec, &argv), 0);
	assert_null(argv.items[argv.count]);
	for (size_t i = 0; i < argv.count; i++) {
		str_addf(&text, "%s\n", argv.items[i]);
		if (str_eq(argv.items[i], "-append"))
			i++;
	}
	return str_take(&text);
}

static char *cmdline(const struct vm_spec *spec)
{
	struct str text = {};

	vm_kernel_cmdline(spec, &text);
	return str_take(&text);
}

static void expect_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void expect_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

static void a_plain_tcg_machine_word_by_word(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = words(&spec);

	(void)state;
	assert_string_equal(text,
			    "qemu\n-name\nktstr\n-nodefaults\n-no-user-config\n-display\nnone\n"
			    "-action\nreboot=shutdown,shutdown=pause,panic=pause\n"
			    "-accel\ntcg,thread=single\n"
			    "-machine\npc,hpet=off,usb=off,vmport=off,memory-backend=ram0\n"
			    "-cpu\nmax,vendor=GenuineIntel,level=0xd\n"
			    "-smp\ncpus=2,sockets=1,dies=1,cores=2,threads=1\n"
			    "-m\n512M\n"
			    "-object\nmemory-backend-file,id=ram0,size=512M,mem-path=/r0,share=on\n"
			    "-chardev\nfile,id=com1,path=/con\n-serial\nchardev:com1\n"
			    "-chardev\nfile,id=com2,path=/ctl\n-serial\nchardev:com2\n"
			    "-chardev\nsocket,id=qmp,fd=5\n-mon\nchardev=qmp,mode=control\n"
			    "-object\nmemory-backend-file,id=channel,size=16777216,mem-path=/ch,"
			    "share=on\n-device\nivshmem-plain,memdev=channel,master=on\n"
			    "-device\npvpanic\n"
			    "-kernel\n/k/vmlinux\n-initrd\n/proc/self/fd/9\n-append\n");
}

static void kvm_uses_the_hosts_cpu_and_no_icount(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL, *kernel = NULL;

	(void)state;
	spec.accel = VM_ACCEL_KVM;
	text = words(&spec);
	kernel = cmdline(&spec);
	expect_has(text, "-accel\nkvm\n");
	expect_has(text, "-cpu\nhost\n");
	expect_lacks(text, "icount");
	expect_lacks(text, "-rtc");
	expect_has(kernel, " clocksource=kvm-clock");
	expect_has(kernel, " random.trust_cpu=on");
}

static void a_single_cpu_keeps_its_lock_prefixes(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *one = NULL, *two = NULL;

	(void)state;
	spec.topology = (struct vm_topology){ 1, 1, 1, 1 };
	one = cmdline(&spec);
	spec.topology = (struct vm_topology){ 1, 1, 2, 1 };
	two = cmdline(&spec);
	expect_has(one, " noreplace-smp ");
	expect_lacks(two, "noreplace-smp");
}

static void modules_are_refused_where_none_is_brought_along(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *without = cmdline(&spec), *with = NULL;

	(void)state;
	spec.has_modules = true;
	with = cmdline(&spec);
	expect_has(without, " nomodule ");
	expect_lacks(with, "nomodule");
}

static void ends_are_told_in_words(void **state)
{
	(void)state;
	assert_string_equal(vm_end_words("guest-reset"),
			    "it was reset, by a triple fault or a reboot");
	assert_string_equal(vm_end_words("guest-shutdown"), "it was powered off");
	assert_string_equal(vm_end_words("snapshot-load"), "snapshot-load");
	assert_string_equal(vm_end_words(""), "QEMU does not tell why");
}

static void sim_counts_instructions_and_keeps_chance_out(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL, *kernel = NULL;

	(void)state;
	spec.accel = VM_ACCEL_SIM;
	spec.sim = (struct vm_sim){ .seed = 42, .shift = 3 };
	text = words(&spec);
	kernel = cmdline(&spec);
	expect_has(text, "-accel\ntcg,thread=single,tb-size=256\n");
	expect_has(text, "-icount\nshift=3,sleep=off,align=off\n");
	expect_has(text, "-rtc\nbase=2020-01-01,clock=vm\n");
	expect_has(text, "-seed\n42\n");
	expect_has(text, "-rdrand,-rdseed");
	expect_has(kernel, " random.trust_cpu=off norandmaps");
	expect_has(kernel, " nokaslr");
	expect_lacks(kernel, "kvm-clock");
}

static void expect_wide_ids(const struct vm_topology *t, bool wide)
{
	struct vm_spec spec = plain_spec();
	_free_ char *tcg = NULL, *kvm = NULL;

	spec.topology = *t;
	assert_int_equal(vm_machine_check(&spec), 0);
	spec.accel = VM_ACCEL_SIM;
	assert_int_equal(vm_machine_check(&spec), wide ? -ENOTSUP : 0);
	spec.accel = VM_ACCEL_TCG;
	tcg = words(&spec);
	spec.accel = VM_ACCEL_KVM;
	kvm = words(&spec);
	(wide ? expect_has : expect_lacks)(tcg, "-machine\nq35,sata=off,smbus=off,hpet=off");
	(wide ? expect_has : expect_lacks)(tcg, "-device\nintel-iommu,intremap=on,eim=on\n");
	(wide ? expect_has : expect_lacks)(kvm, "-accel\nkvm,kernel-irqchip=split\n");
	expect_lacks(kvm, "iommu");
	expect_lacks(kvm, "q35");
}

static void ids_that_a_byte_does_not_hold_need_another_board(void **state)
{
	(void)state;
	expect_wide_ids(&(struct vm_topology){ 1, 15, 8, 2 }, false);
	expect_wide_ids(&(struct vm_topology){ 2, 12, 8, 2 }, false);
	expect_wide_ids(&(struct vm_topology){ 1, 14, 9, 2 }, true);
	expect_wide_ids(&(struct vm_topology){ 1, 14, 18, 1 }, true);
	/* The last of these has the number 254, and the next one 256. */
	expect_wide_ids(&(struct vm_topology){ 1, 8, 31, 1 }, false);
	expect_wide_ids(&(struct vm_topology){ 1, 9, 28, 1 }, true);
}

/* It is not part of what a guest sees: templates and digests stay what they were. */
static void sandboxes_are_asked_for_where_there_are_any(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *without = words(&spec), *with = NULL;
	_str_ struct str before = {}, after = {};

	(void)state;
	assert_int_equal(vm_machine_identity(&spec, 4096, &before), 0);
	spec.has_sandbox = true;
	with = words(&spec);
	expect_lacks(without, "-sandbox");
	expect_has(with, "-sandbox\non,obsolete=deny,elevateprivileges=deny,spawn=deny,"
			 "resourcecontrol=deny\n");
	assert_int_equal(vm_machine_identity(&spec, 4096, &after), 0);
	assert_string_equal(str_get(&before), str_get(&after));
}

/* For people: what can be used again has its path, and what is gone a word. */
static void commands_are_one_line_for_a_shell(void **state)
{
	struct vm_spec spec = plain_spec();
	_str_ struct str text = {};

	(void)state;
	spec.qemu = "/opt/my qemu/qemu";
	spec.kernel = "/cache/vmlinux";
	spec.ram_paths[0] = "/proc/self/fd/17";
	assert_int_equal(vm_machine_command(&spec, 0, &text), 0);
	assert_true(str_starts(str_get(&text), "'/opt/my qemu/qemu' -name ktstr "));
	expect_has(str_get(&text), " -kernel /cache/vmlinux -initrd INITRD -append '");
	expect_has(str_get(&text), "mem-path=RAM,");
	expect_lacks(str_get(&text), "/proc/self/fd");
	expect_lacks(str_get(&text), "\n");
}

static void llcs_are_dies_and_nodes_are_sockets(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL, *kernel = NULL;

	(void)state;
	spec.topology = (struct vm_topology){ 2, 4, 3, 2 };
	spec.memory_mib = 1025;
	spec.has_smp_cache = true;
	text = words(&spec);
	kernel = cmdline(&spec);
	expect_has(text, "-smp\ncpus=24,sockets=2,dies=2,cores=3,threads=2\n");
	expect_has(text, ",smp-cache.0.cache=l3,smp-cache.0.topology=die\n");
	expect_lacks(text, "memory-backend=ram0");
	expect_has(text, "id=ram0,size=512M,mem-path=/r0");
	expect_has(text, "id=ram1,size=513M,mem-path=/r1"); /* nothing is lost */
	expect_has(text, "-numa\nnode,nodeid=1,memdev=ram1\n-numa\ncpu,node-id=1,socket-id=1\n");
	expect_has(text, "-numa\ndist,src=0,dst=1,val=20\n");
	expect_has(text, "-numa\ndist,src=1,dst=1,val=10\n");
	expect_has(kernel, " numa_balancing=enable");
	expect_has(kernel, " KTSTR_TOPO=2,4,3,2");
}

/* Four LLCs here, two there, and memory that is nearest to the second. */
static struct vm_spec unequal_spec(void)
{
	struct vm_spec spec = plain_spec();

	spec.topology = (struct vm_topology){ 3, 6, 2, 1 };
	spec.memory_mib = 1792;
	spec.ram_paths[2] = "/r2";
	spec.numa = (struct vm_numa){
		.has_nodes = true,
		.nodes = { { .llcs = 4, .memory_mib = 1024 },
			   { .llcs = 2, .memory_mib = 512 },
			   { .memory_mib = 256, .latency_ns = 300, .bandwidth_mbs = 2000 } },
		.has_distances = true,
		.distances = { { 10, 21, 40 }, { 21, 10, 30 }, { 40, 30, 10 } },
	};
	return spec;
}

static void unequal_nodes_are_made_of_whole_sockets(void **state)
{
	struct vm_spec spec = unequal_spec();
	_free_ char *text = words(&spec), *kernel = cmdline(&spec);

	(void)state;
	expect_has(text, "-machine\npc,hpet=off,usb=off,vmport=off,hmat=on\n");
	expect_has(text, "-smp\ncpus=12,sockets=3,dies=2,cores=2,threads=1\n");
	expect_has(text, "-m\n1792M\n");
	expect_has(text, "id=ram0,size=1024M,mem-path=/r0");
	expect_has(text, "id=ram1,size=512M,mem-path=/r1");
	expect_has(text, "id=ram2,size=256M,mem-path=/r2");
	expect_has(text, "-numa\nnode,nodeid=0,memdev=ram0,initiator=0\n"
			 "-numa\ncpu,node-id=0,socket-id=0\n"
			 "-numa\ncpu,node-id=0,socket-id=1\n"
			 "-numa\nnode,nodeid=1,memdev=ram1,initiator=1\n"
			 "-numa\ncpu,node-id=1,socket-id=2\n"
			 "-numa\nnode,nodeid=2,memdev=ram2,initiator=1\n"
			 "-numa\ndist,src=0,dst=0,val=10\n"
			 "-numa\ndist,src=0,dst=1,val=21\n"
			 "-numa\ndist,src=0,dst=2,val=40\n");
	expect_has(text, "-numa\nhmat-lb,initiator=1,target=2,hierarchy=memory,"
			 "data-type=access-latency,latency=300\n"
			 "-numa\nhmat-lb,initiator=1,target=2,hierarchy=memory,"
			 "data-type=access-bandwidth,bandwidth=2000M\n");
	expect_lacks(text, "target=0");
	expect_has(kernel, " KTSTR_NODES=4:1024,2:512,0:256 "
			   "KTSTR_DISTANCES=10,21,40,21,10,30,40,30,10");
}

static void a_cache_before_the_memory_is_told(void **state)
{
	struct vm_spec spec = unequal_spec();
	_free_ char *without = words(&spec), *with = NULL;

	(void)state;
	spec.numa.nodes[2].cache = (struct vm_memory_cache){
		.size_kib = 65536, .associativity = 1, .write_policy = 2, .line_size = 64
	};
	with = words(&spec);
	expect_lacks(without, "hmat-cache");
	expect_has(with, "-numa\nhmat-cache,node-id=2,size=65536K,level=1,associativity=direct,"
			 "policy=write-through,line=64\n");
}

static void nodes_without_speeds_have_no_table_of_them(void **state)
{
	struct vm_spec spec = unequal_spec();
	_free_ char *text = NULL, *kernel = NULL;

	(void)state;
	spec.numa.nodes[2].latency_ns = spec.numa.nodes[2].bandwidth_mbs = 0;
	spec.numa.nodes[0].llcs = 5;
	spec.topology.llcs = 7;
	spec.numa.has_distances = false;
	text = words(&spec);
	kernel = cmdline(&spec);
	expect_lacks(text, "hmat");
	expect_lacks(text, "initiator");
	/* 5 and 2 have nothing in common: a socket is an LLC. */
	expect_has(text, "-smp\ncpus=14,sockets=7,dies=1,cores=2,threads=1\n");
	expect_has(text, "-numa\ncpu,node-id=0,socket-id=4\n-numa\nnode,nodeid=1,");
	expect_has(text, "-numa\ncpu,node-id=1,socket-id=5\n-numa\ncpu,node-id=1,socket-id=6\n");
	expect_has(text, "-numa\ndist,src=0,dst=2,val=20\n");
	expect_lacks(kernel, "KTSTR_DISTANCES");
}

static void one_node_with_a_speed_is_described(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL;

	(void)state;
	spec.numa.has_nodes = true;
	spec.numa.nodes[0] = (struct vm_node){ .llcs = 1, .memory_mib = 512, .latency_ns = 90 };
	text = words(&spec);
	expect_lacks(text, "memory-backend=ram0");
	expect_has(text, "-numa\nnode,nodeid=0,memdev=ram0,initiator=0\n");
}

static void identities_tell_unequal_nodes_apart(void **state)
{
	struct vm_spec spec = unequal_spec();
	_str_ struct str one = {}, same = {}, other = {};

	(void)state;
	assert_int_equal(vm_machine_identity(&spec, 4096, &one), 0);
	assert_int_equal(vm_machine_identity(&spec, 4096, &same), 0);
	spec.numa.nodes[0].memory_mib -= 128;
	spec.numa.nodes[1].memory_mib += 128;
	assert_int_equal(vm_machine_identity(&spec, 4096, &other), 0);
	assert_string_equal(str_get(&one), str_get(&same));
	assert_string_not_equal(str_get(&one), str_get(&other));
}

static void expect_refused(const struct vm_spec *spec, const char *says)
{
	int rc = vm_numa_check(&spec->topology, &spec->numa);

	assert_int_equal(rc, -EINVAL);
	expect_has(err_text(rc), says);
}

#define REFUSED(member, value, says)                 \
	do {                                         \
		struct vm_spec bad = unequal_spec(); \
                                                     \
		bad.member = value;                  \
		expect_refused(&bad, says);          \
	} while (0)

static void impossible_nodes_are_refused(void **state)
{
	struct vm_spec spec = unequal_spec();

	(void)state;
	assert_int_equal(vm_numa_check(&spec.topology, &spec.numa), 0);
	REFUSED(topology.nodes, 9, "nodes: 9 of them; 1 to 8 are possible in a VM");
	REFUSED(topology.llcs, 7, "nodes: they have 6 LLCs together, the machine has 7");
	REFUSED(numa.nodes[1].memory_mib, 0, "nodes: node 1 has no memory_mib");
	REFUSED(numa.nodes[1].latency_ns, 65535, "node 1 has a latency_ns of 65535, at most 65534");
	REFUSED(numa.nodes[2].bandwidth_mbs, 70000, "node 2 has a bandwidth_mbs of 70000");
	REFUSED(numa.nodes[0].cache.size_kib, 64,
		"node 0 has a mem_side_cache, so it needs latency_ns and bandwidth_mbs");
	REFUSED(numa.nodes[2].cache.line_size, 64, "the mem_side_cache of node 2 has no size_kib");
	REFUSED(numa.nodes[2].cache,
		((struct vm_memory_cache){ .size_kib = 1, .associativity = 3 }),
		"an associativity of 3 and a write_policy of 0; 0 to 2 are possible");
	REFUSED(numa.nodes[2].cache,
		((struct vm_memory_cache){ .size_kib = 1, .line_size = 65536 }),
		"has a line_size of 65536, at most 65535 are possible");
	REFUSED(numa.distances[0][0], 11, "distances: node 0 to itself is 11, not 10");
	REFUSED(numa.distances[1][1], 11, "distances: node 1 to itself is 11, not 10");
	REFUSED(numa.distances[0][1], 10, "distances: node 0 to node 1 is 10, not 11 to 255");
	REFUSED(numa.distances[0][2], 256, "distances: node 0 to node 2 is 256, not 11 to 255");
	REFUSED(numa.distances[2][1], 31, "distances: node 1 to node 2 is 30, but back 31");
}

static void options_come_with_the_version_of_qemu(void **state)
{
	static const struct {
		unsigned int major, minor;
		bool has_files, has_caches;
	} cases[] = { { 7, 2, false, false }, { 8, 1, false, false }, { 8, 2, true, false },
		      { 9, 0, true, false },  { 9, 9, true, false },  { 10, 0, true, true },
		      { 11, 0, true, true } };
	const struct vm_topology topology = { 1, 2, 1, 1 };
	const struct kernel_image kernel = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct vm_qemu qemu = { .path = "/qemu",
					      .major = cases[i].major,
					      .minor = cases[i].minor,
					      .has_sandbox = i % 2 };
		struct vm_spec spec;

		vm_fill_spec(&spec, &qemu, VM_ACCEL_TCG, &kernel, &topology);
		assert_true(spec.has_file_migration == cases[i].has_files);
		assert_true(spec.has_rom_option == cases[i].has_files);
		assert_true(spec.has_smp_cache == cases[i].has_caches);
		assert_true(spec.has_sandbox == i % 2);
		assert_int_equal(spec.topology.llcs, 2);
		assert_int_equal(spec.sim.shift, VM_SIM_SHIFT);
	}
}

static void nodes_with_cpus_come_first(void **state)
{
	struct vm_spec spec = unequal_spec();

	(void)state;
	spec.numa.nodes[0].llcs = 0;
	spec.numa.nodes[1].llcs = 6;
	expect_refused(&spec, "node 1 has LLCs, but node 0 before it is memory only");
	spec.numa.nodes[1].llcs = 0;
	expect_refused(&spec, "nodes: none of them has an LLC");
	spec.numa.has_nodes = false;
	spec.topology.llcs = 5;
	expect_refused(&spec, "llcs: 5 LLCs cannot be spread evenly over 3 NUMA nodes");
}

static void arm_has_clusters_and_another_console(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL, *kernel = NULL;

	(void)state;
	spec.arch = VM_ARCH_AARCH64;
	spec.topology = (struct vm_topology){ 1, 2, 4, 1 };
	text = words(&spec);
	kernel = cmdline(&spec);
	expect_has(text, "-machine\nvirt,gic-version=3,memory-backend=ram0\n");
	expect_has(text, "-smp\ncpus=8,sockets=1,clusters=2,cores=4,threads=1\n");
	expect_has(text, "-cpu\nmax\n");
	expect_lacks(text, "pvpanic");
	expect_has(kernel, "console=ttyAMA0 earlycon");
	expect_lacks(kernel, "i8042");
	spec.accel = VM_ACCEL_KVM;
	free(kernel);
	kernel = cmdline(&spec);
	expect_lacks(kernel, "kvm-clock");
}

static void performance_mode_takes_hugepages_and_dedicated_cpus(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL;

	(void)state;
	spec.accel = VM_ACCEL_KVM;
	spec.is_performance = true;
	text = words(&spec);
	expect_has(text, "-cpu\nhost,kvm-hint-dedicated=on\n");
	expect_has(text, "-overcommit\ncpu-pm=on\n");
	expect_lacks(text, "prealloc");
	free(take_ptr(&text));
	spec.has_hugepages = true;
	strcpy(spec.host_nodes, "0-1");
	text = words(&spec);
	/* Which pages they are is the file's: see vm_storage_boot(). */
	expect_has(text, ",share=on,prealloc=on,host-nodes=0-1,policy=bind\n");
}

static void a_restored_machine_takes_no_kernel_and_writes_to_a_copy(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL;

	(void)state;
	spec.is_restored = true;
	spec.ram_is_private = true;
	text = words(&spec);
	expect_has(text, "-incoming\ndefer\n");
	expect_lacks(text, "-kernel");
	expect_has(text, "mem-path=/r0,share=off");
	expect_has(text, "mem-path=/ch,share=off");
	expect_lacks(text, "rom=");
}

static void a_machine_that_is_held_has_the_same_identity(void **state)
{
	_str_ struct str free_one = {}, held = {};
	struct vm_spec spec = plain_spec();
	_free_ char *text = words(&spec);

	(void)state;
	expect_lacks(text, "-S\n");
	assert_int_equal(vm_machine_identity(&spec, 0, &free_one), 0);
	spec.is_held = true;
	free(text);
	text = words(&spec);
	expect_has(text, "\n-S\n");
	assert_int_equal(vm_machine_identity(&spec, 0, &held), 0);
	assert_string_equal(str_get(&free_one), str_get(&held));
}

static void a_template_is_read_without_the_right_to_write_it(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *booted = NULL, *restored = NULL, *kept = NULL;

	(void)state;
	spec.has_rom_option = true;
	booted = words(&spec);
	expect_lacks(booted, "readonly=");
	spec.is_restored = true;
	spec.ram_is_private = true;
	restored = words(&spec);
	expect_has(restored, "mem-path=/r0,share=off,readonly=on,rom=off");
	expect_has(restored, "mem-path=/ch,share=off\n");
	spec.channel_is_kept = true;
	kept = words(&spec);
	expect_has(kept, "mem-path=/ch,share=off,readonly=on,rom=off\n");
}

static void disks_and_terminals(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *text = NULL, *nvme = NULL;

	(void)state;
	spec.control_fd = 11;
	spec.disk_path = "/d,isk";
	text = words(&spec);
	expect_has(text, "-chardev\nsocket,id=com2,fd=11\n");
	expect_has(text,
		   "format=raw,cache=unsafe,file=/d,,isk\n-device\nvirtio-blk-pci,drive=disk0\n");
	spec.disk_is_nvme = true;
	nvme = words(&spec);
	expect_has(nvme, "-device\nnvme,drive=disk0,serial=ktstr0\n");
}

static void many_cpus_are_brought_up_one_by_one_without_kvm(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *few = NULL, *many = NULL, *kvm = NULL;

	(void)state;
	spec.topology = (struct vm_topology){ 1, 8, 8, 1 };
	few = cmdline(&spec);
	expect_lacks(few, "cpuhp.parallel");
	spec.topology = (struct vm_topology){ 1, 14, 9, 2 };
	many = cmdline(&spec);
	expect_has(many, " cpuhp.parallel=off lpj=10000000");
	spec.accel = VM_ACCEL_KVM;
	kvm = cmdline(&spec);
	expect_lacks(kvm, "cpuhp.parallel");
}

static void the_kernel_is_quiet_unless_asked(void **state)
{
	struct vm_spec spec = plain_spec();
	_free_ char *quiet = cmdline(&spec);
	_free_ char *verbose = NULL;

	(void)state;
	expect_has(quiet, " loglevel=1");
	expect_has(quiet, " KTSTR_MODE=exec ");
	spec.is_verbose = true;
	spec.append = "extra=1 isolcpus=3";
	verbose = cmdline(&spec);
	expect_has(verbose, " earlyprintk=serial loglevel=7");
	assert_string_equal(verbose + strlen(verbose) - strlen(" extra=1 isolcpus=3"),
			    " extra=1 isolcpus=3");
}

static void topologies_are_parsed_or_refused_by_field(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "1,2,4", "threads is missing" },
		{ "", "numa_nodes is not a whole number" },
		{ "0,1,1,1", "numa_nodes must be at least 1" },
		{ "1,0,1,1", "llcs must be at least 1" },
		{ "1,1,1,0", "threads must be at least 1" },
		{ "a,b,c,d", "numa_nodes is not a whole number" },
		{ "1,1,x,1", "cores is not a whole number" },
		{ "1,1,-1,1", "cores is not a whole number" },
		{ "2,3,4,1", "llcs (3) must be a multiple of numa_nodes (2)" },
		{ "1,16,16,1", "256 vCPUs, at most 252 are possible" },
		{ "16,16,1,1", "numa_nodes is 16, at most 8 are possible" },
		{ "1,1,1,1,1", "text after threads" },
		{ "1,1,1,99999999999999999999", "threads is not a whole number" },
		{ "1,65536,65536,65536", "at most 252 are possible" },
	};
	struct vm_topology t;

	(void)state;
	assert_int_equal(vm_topology_parse("2,4,2,2", &t), 0);
	assert_int_equal(vm_topology_cpus(&t), 16);
	assert_int_equal(vm_topology_parse("1,14,9,2", &t), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int rc = vm_topology_parse(bad[i].text, &t);

		print_message("# %s\n", bad[i].text);
		assert_int_equal(rc, -EINVAL);
		expect_has(err_text(rc), bad[i].says);
	}
}

static void accelerators_have_names(void **state)
{
	(void)state;
	assert_int_equal(vm_accel_by_name("kvm"), VM_ACCEL_KVM);
	assert_int_equal(vm_accel_by_name("tcg"), VM_ACCEL_TCG);
	assert_int_equal(vm_accel_by_name("sim"), VM_ACCEL_SIM);
	assert_int_equal(vm_accel_by_name("KVM"), -1);
	assert_string_equal(vm_accel_name(VM_ACCEL_SIM), "sim");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_tcg_machine_word_by_word),
		cmocka_unit_test(kvm_uses_the_hosts_cpu_and_no_icount),
		cmocka_unit_test(a_single_cpu_keeps_its_lock_prefixes),
		cmocka_unit_test(modules_are_refused_where_none_is_brought_along),
		cmocka_unit_test(ends_are_told_in_words),
		cmocka_unit_test(sim_counts_instructions_and_keeps_chance_out),
		cmocka_unit_test(ids_that_a_byte_does_not_hold_need_another_board),
		cmocka_unit_test(sandboxes_are_asked_for_where_there_are_any),
		cmocka_unit_test(llcs_are_dies_and_nodes_are_sockets),
		cmocka_unit_test(unequal_nodes_are_made_of_whole_sockets),
		cmocka_unit_test(a_cache_before_the_memory_is_told),
		cmocka_unit_test(nodes_without_speeds_have_no_table_of_them),
		cmocka_unit_test(one_node_with_a_speed_is_described),
		cmocka_unit_test(identities_tell_unequal_nodes_apart),
		cmocka_unit_test(impossible_nodes_are_refused),
		cmocka_unit_test(options_come_with_the_version_of_qemu),
		cmocka_unit_test(nodes_with_cpus_come_first),
		cmocka_unit_test(arm_has_clusters_and_another_console),
		cmocka_unit_test(performance_mode_takes_hugepages_and_dedicated_cpus),
		cmocka_unit_test(a_restored_machine_takes_no_kernel_and_writes_to_a_copy),
		cmocka_unit_test(a_machine_that_is_held_has_the_same_identity),
		cmocka_unit_test(a_template_is_read_without_the_right_to_write_it),
		cmocka_unit_test(disks_and_terminals),
		cmocka_unit_test(many_cpus_are_brought_up_one_by_one_without_kvm),
		cmocka_unit_test(commands_are_one_line_for_a_shell),
		cmocka_unit_test(the_kernel_is_quiet_unless_asked),
		cmocka_unit_test(topologies_are_parsed_or_refused_by_field),
		cmocka_unit_test(accelerators_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
