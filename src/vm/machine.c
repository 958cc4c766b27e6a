// SPDX-License-Identifier: GPL-2.0-only
/* Builds QEMU's command line from a spec. Each function adds one aspect of the machine. */
#include "vm/machine.h"

static void add(struct vm_argv *argv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct vm_argv *argv, const char *fmt, ...)
{
	_str_ struct str text = {};
	char *item;

	str_add_rest(&text, fmt);
	item = str_take(&text);
	if (!item || vec_push(argv, item) < 0) {
		free(item);
		argv->failed = true;
	}
}

#define add_option(argv, name, ...)     \
	do {                            \
		add(argv, "%s", name);  \
		add(argv, __VA_ARGS__); \
	} while (0)

/* Doubles commas in a file name: QEMU separates suboptions by commas. */
static const char *escape_commas(const char *path, struct str *buffer)
{
	str_reset(buffer);
	for (; *path; path++) {
		if (*path == ',')
			str_addc(buffer, ',');
		str_addc(buffer, *path);
	}
	return str_get(buffer);
}

/* Number of bits for IDs of count things. */
static unsigned int bits_for(unsigned int count)
{
	unsigned int bits = 0;

	while (1U << bits < count)
		bits++;
	return bits;
}

static unsigned int highest_apic_id(const struct vm_spec *s)
{
	const struct vm_topology *t = &s->topology;
	unsigned int dies = vm_numa_llcs_per_socket(s);
	unsigned int core_bits = bits_for(t->threads), die_bits = core_bits + bits_for(t->cores);
	unsigned int socket_bits = die_bits + bits_for(dies);

	return ((t->llcs / dies - 1) << socket_bits) + ((dies - 1) << die_bits) +
	       ((t->cores - 1) << core_bits) + t->threads - 1;
}

/*
 * Thread, core and die have separate bit fields in an APIC ID, so 14 dies of 9 cores need IDs far
 * above 252. IDs that do not fit into a byte exist in x2APIC mode only. Linux uses that only if
 * interrupts can reach these CPUs: by a KVM extension, which needs the split irqchip, or by an
 * IOMMU with interrupt remapping.
 */
#define BROADCAST_ID 255

static bool needs_x2apic(const struct vm_spec *s)
{
	return s->arch == VM_ARCH_X86_64 && highest_apic_id(s) >= BROADCAST_ID;
}

static bool needs_iommu(const struct vm_spec *s)
{
	return s->accel != VM_ACCEL_KVM && needs_x2apic(s);
}

int vm_machine_check(const struct vm_spec *s)
{
	if (s->accel != VM_ACCEL_SIM || !needs_x2apic(s))
		return 0;
	return err_set(
		ENOTSUP,
		"topology %u,%u,%u,%u has APIC IDs up to %u, and QEMU cannot simulate timers of "
		"machines with IDs above %d; --accel tcg boots it",
		s->topology.nodes, s->topology.llcs, s->topology.cores, s->topology.threads,
		highest_apic_id(s), BROADCAST_ID - 1);
}

static void add_accelerator(const struct vm_spec *s, struct vm_argv *argv)
{
	switch (s->accel) {
	case VM_ACCEL_KVM:
		add_option(argv, "-accel", "kvm%s", needs_x2apic(s) ? ",kernel-irqchip=split" : "");
		break;
	case VM_ACCEL_TCG:
		add_option(argv, "-accel", "tcg,thread=single");
		break;
	case VM_ACCEL_SIM:
		/*
		 * The size of the code cache determines when it is flushed: part of a run's
		 * identity.
		 */
		add_option(argv, "-accel", "tcg,thread=single,tb-size=256");
		add_option(argv, "-icount", "shift=%u,sleep=off,align=off", s->sim.shift);
		add_option(argv, "-rtc", "base=2020-01-01,clock=vm");
		add_option(argv, "-seed", "%llu", ULL((uint32_t)s->sim.seed));
		break;
	}
}

static void add_board(const struct vm_spec *s, struct vm_argv *argv)
{
	const char *memory = !vm_numa_is_described(s) ? ",memory-backend=ram0" :
			     vm_numa_has_speeds(s)    ? ",hmat=on" :
							"";
	/* One LLC is one die: set by smp-cache if available, else QEMU's default. */
	const char *cache = s->has_smp_cache ? ",smp-cache.0.cache=l3,smp-cache.0.topology=die" :
					       "";

	/* The smaller board does not support an IOMMU. */
	const char *board = needs_iommu(s) ? "q35,sata=off,smbus=off" : "pc";

	if (s->arch == VM_ARCH_AARCH64)
		add_option(argv, "-machine", "virt,gic-version=3%s", memory);
	else
		add_option(argv, "-machine", "%s,hpet=off,usb=off,vmport=off%s%s", board, cache,
			   memory);
	if (needs_iommu(s))
		add_option(argv, "-device", "intel-iommu,intremap=on,eim=on");
}

static void add_cpus(const struct vm_spec *s, struct vm_argv *argv)
{
	const struct vm_topology *t = &s->topology;
	unsigned int llcs_per_socket = vm_numa_llcs_per_socket(s);

	if (s->accel == VM_ACCEL_KVM)
		add_option(argv, "-cpu", "host%s%s", vm_host_cpu_options(&s->host_cpu),
			   s->is_performance ? ",kvm-hint-dedicated=on" : "");
	else if (s->arch == VM_ARCH_AARCH64)
		add_option(argv, "-cpu", "max");
	else
		/*
		 * Without level=0xd QEMU aborts with more than one die (leaf 0x1f). RDRAND and
		 * RDSEED would bring nondeterminism of the host into sim; elsewhere they stay,
		 * because without them a kernel rehashes its pool for each early random number. In
		 * sim QEMU counts each iteration of a string instruction and looks up the next
		 * translation block after it, so fast string operations are disabled: programs and
		 * kernels then copy by words.
		 */
		add_option(argv, "-cpu", "max,vendor=GenuineIntel,%slevel=0xd",
			   s->accel == VM_ACCEL_SIM ? "-rdrand,-rdseed,-erms,-fsrm," : "");
	add_option(argv, "-smp", "cpus=%u,sockets=%u,%s=%u,cores=%u,threads=%u",
		   vm_topology_cpus(t), t->llcs / llcs_per_socket,
		   s->arch == VM_ARCH_AARCH64 ? "clusters" : "dies", llcs_per_socket, t->cores,
		   t->threads);
	if (s->is_performance)
		add_option(argv, "-overcommit", "cpu-pm=on");
}

/* A template may belong to another user: a private mapping needs no write permission. */
static const char *sharing_of(const struct vm_spec *s)
{
	if (!s->ram_is_private)
		return "on";
	return s->has_rom_option ? "off,readonly=on,rom=off" : "off";
}

static void add_memory(const struct vm_spec *s, struct vm_argv *argv)
{
	_str_ struct str path = {}, binding = {};

	if (*s->host_nodes)
		str_addf(&binding, ",host-nodes=%s,policy=bind", s->host_nodes);
	add_option(argv, "-m", "%lluM", ULL(s->memory_mib));
	for (unsigned int i = 0; i < s->topology.nodes; i++) {
		unsigned long long mib = vm_numa_memory_mib(s, i);

		add_option(argv, "-object",
			   "memory-backend-file,id=ram%u,size=%lluM,mem-path=%s,share=%s%s%s", i,
			   mib, escape_commas(s->ram_paths[i], &path), sharing_of(s),
			   s->has_hugepages ? ",prealloc=on" : "", str_get(&binding));
	}
}

/*
 * Assigns whole sockets to nodes in order, so that CPU numbers ascend with the nodes. With an HMAT,
 * QEMU requires the nearest CPUs of every node.
 */
static void add_node(const struct vm_spec *s, unsigned int node, unsigned int *socket,
		     struct vm_argv *argv)
{
	unsigned int sockets = vm_numa_llcs(s, node) / vm_numa_llcs_per_socket(s);
	_str_ struct str initiator = {};

	if (vm_numa_has_speeds(s))
		str_addf(&initiator, ",initiator=%u", vm_numa_initiator(s, node));
	argv->failed |= initiator.failed;
	add_option(argv, "-numa", "node,nodeid=%u,memdev=ram%u%s", node, node, str_get(&initiator));
	for (unsigned int i = 0; i < sockets; i++)
		add_option(argv, "-numa", "cpu,node-id=%u,socket-id=%u", node, (*socket)++);
}

static void add_speeds(const struct vm_spec *s, unsigned int node, struct vm_argv *argv)
{
	const struct vm_node *n = &s->numa.nodes[node];
	unsigned int initiator = vm_numa_initiator(s, node);

	if (n->latency_ns)
		add_option(argv, "-numa",
			   "hmat-lb,initiator=%u,target=%u,hierarchy=memory,"
			   "data-type=access-latency,latency=%u",
			   initiator, node, n->latency_ns);
	if (n->bandwidth_mbs)
		add_option(argv, "-numa",
			   "hmat-lb,initiator=%u,target=%u,hierarchy=memory,"
			   "data-type=access-bandwidth,bandwidth=%uM",
			   initiator, node, n->bandwidth_mbs);
}

static void add_memory_cache(const struct vm_memory_cache *c, unsigned int node,
			     struct vm_argv *argv)
{
	static const char *const indexing[] = { "none", "direct", "complex" };
	static const char *const policies[] = { "none", "write-back", "write-through" };

	if (c->size_kib)
		add_option(
			argv, "-numa",
			"hmat-cache,node-id=%u,size=%uK,level=1,associativity=%s,policy=%s,line=%u",
			node, c->size_kib, indexing[c->associativity], policies[c->write_policy],
			c->line_size);
}

static void add_numa(const struct vm_spec *s, struct vm_argv *argv)
{
	unsigned int nodes = s->topology.nodes, socket = 0;

	if (!vm_numa_is_described(s))
		return;
	for (unsigned int i = 0; i < nodes; i++)
		add_node(s, i, &socket, argv);
	for (unsigned int i = 0; i < nodes; i++)
		for (unsigned int k = 0; k < nodes; k++)
			add_option(argv, "-numa", "dist,src=%u,dst=%u,val=%u", i, k,
				   vm_numa_distance(s, i, k));
	for (unsigned int i = 0; i < nodes && vm_numa_has_speeds(s); i++)
		add_speeds(s, i, argv);
	for (unsigned int i = 0; i < nodes && s->numa.has_nodes; i++)
		add_memory_cache(&s->numa.nodes[i].cache, i, argv);
}

static void add_boot(const struct vm_spec *s, struct vm_argv *argv)
{
	_str_ struct str cmdline = {};

	if (s->is_restored) {
		add_option(argv, "-incoming", "defer");
		return;
	}
	vm_kernel_cmdline(s, &cmdline);
	argv->failed |= cmdline.failed;
	add_option(argv, "-kernel", "%s", s->kernel);
	add_option(argv, "-initrd", "%s", s->initrd);
	add_option(argv, "-append", "%s", str_get(&cmdline));
}

static void add_consoles(const struct vm_spec *s, struct vm_argv *argv)
{
	_str_ struct str path = {};

	/* Files never block, so the guest's output does not depend on readers or their timing. */
	add_option(argv, "-chardev", "file,id=com1,path=%s", escape_commas(s->console_path, &path));
	add_option(argv, "-serial", "chardev:com1");
	if (s->control_fd)
		add_option(argv, "-chardev", "socket,id=com2,fd=%d", s->control_fd);
	else
		add_option(argv, "-chardev", "file,id=com2,path=%s",
			   escape_commas(s->control_path, &path));
	add_option(argv, "-serial", "chardev:com2");
	add_option(argv, "-chardev", "socket,id=qmp,fd=%d", s->qmp_fd);
	add_option(argv, "-mon", "chardev=qmp,mode=control");
}

static void add_channel(const struct vm_spec *s, struct vm_argv *argv)
{
	_str_ struct str path = {};

	add_option(argv, "-object", "memory-backend-file,id=channel,size=%llu,mem-path=%s,share=%s",
		   ULL(s->channel_bytes), escape_commas(s->channel_path, &path),
		   s->channel_is_kept ? "off,readonly=on,rom=off" :
		   s->is_restored     ? "off" :
					"on");
	add_option(argv, "-device", "ivshmem-plain,memdev=channel,master=on");
}

static void add_disk(const struct vm_spec *s, struct vm_argv *argv)
{
	_str_ struct str path = {};

	if (!s->disk_path)
		return;
	add_option(argv, "-drive", "if=none,id=disk0,format=raw,cache=unsafe,file=%s",
		   escape_commas(s->disk_path, &path));
	add_option(argv, "-device",
		   s->disk_is_nvme ? "nvme,drive=disk0,serial=ktstr0" :
				     "virtio-blk-pci,drive=disk0");
}

/* Adds the plugin, the gdb stub, and -S for a paused start. */
static void add_watchers(const struct vm_spec *s, struct vm_argv *argv)
{
	if (s->plugin)
		add_option(argv, "-plugin", "%s", s->plugin);
	if (s->gdb_fd) {
		add_option(argv, "-chardev", "socket,id=gdb,fd=%d", s->gdb_fd);
		add_option(argv, "-gdb", "chardev:gdb");
	}
	if (s->is_held)
		add(argv, "-S");
}

int vm_machine_argv(const struct vm_spec *s, struct vm_argv *argv)
{
	*argv = (struct vm_argv){};
	add(argv, "%s", s->qemu);
	add_option(argv, "-name", "ktstr");
	add(argv, "-nodefaults");
	add(argv, "-no-user-config");
	add_option(argv, "-display", "none");
	if (s->has_sandbox)
		add_option(argv, "-sandbox", VM_SANDBOX);
	/* Pauses QEMU at the end of the guest, so that memory can be read before QEMU quits. */
	add_option(argv, "-action", "reboot=shutdown,shutdown=pause,panic=pause");
	add_accelerator(s, argv);
	add_board(s, argv);
	add_cpus(s, argv);
	add_memory(s, argv);
	add_numa(s, argv);
	add_consoles(s, argv);
	add_channel(s, argv);
	if (s->arch == VM_ARCH_X86_64)
		add_option(argv, "-device", "pvpanic");
	add_disk(s, argv);
	add_watchers(s, argv);
	add_boot(s, argv);
	if (argv->failed || vec_push(argv, NULL) < 0) {
		vm_argv_finish(argv);
		return err_no_memory();
	}
	argv->count--;
	return 0;
}

void vm_argv_finish(struct vm_argv *argv)
{
	vec_release(argv, each, free(*each));
	*argv = (struct vm_argv){};
}

/* Replaces paths of memory files by placeholders: they mean nothing after the run. */
static struct vm_spec with_names(const struct vm_spec *spec, uint64_t channel_bytes)
{
	struct vm_spec named = *spec;

	for (unsigned int i = 0; i < named.topology.nodes; i++)
		named.ram_paths[i] = "RAM";
	named.is_held = false;
	named.gdb_fd = 0;
	named.initrd = "INITRD";
	named.channel_path = "CHANNEL";
	named.channel_bytes = channel_bytes;
	named.console_path = "CONSOLE";
	named.control_path = "CONTROL";
	named.control_fd = 0;
	return named;
}

int vm_machine_identity(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out)
{
	_cleanup_(vm_argv_finish) struct vm_argv argv = {};
	struct vm_spec named = with_names(spec, channel_bytes);
	int rc;

	named.qemu = "QEMU";
	named.has_sandbox = false; /* invisible to the guest */
	named.kernel = "KERNEL";
	rc = vm_machine_argv(&named, &argv);
	for (size_t i = 0; i < argv.count; i++)
		str_addf(out, "%s\n", argv.items[i]);
	return rc ?: str_check(out);
}

int vm_machine_command(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out)
{
	_cleanup_(vm_argv_finish) struct vm_argv argv = {};
	struct vm_spec named = with_names(spec, channel_bytes);
	int rc = vm_machine_argv(&named, &argv);

	for (size_t i = 0; i < argv.count; i++) {
		str_add(out, i ? " " : "");
		text_add_word(out, argv.items[i]);
	}
	return rc ?: str_check(out);
}
