// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TCG plugin: it is called when the guest kernel enters certain functions of its scheduler, reads
 * their arguments from registers and guest memory, and writes records (format.h). The guest
 * executes the same instructions as without it, so a sim run is not changed.
 *
 * Arguments are NAME=NUMBER, hexadecimal: addresses of functions and variables, and offsets of
 * members; out=PATH is the file for the records. What is not given is not traced. It can also stop
 * for the host, see stops.c and debug.c, and count blocks, see blocks.c.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/plugin/plugin.h"

#define MAX_CALLS 32
#define MAX_CPUS PLUGIN_MAX_CPUS
#define KNOWN_TASKS 65536 /* a power of two */
#define KNOWN_CGROUPS 1024
#define MAX_DEPTH 8 /* of a cgroup's path */
#define NAME_BYTES 64
#define BUFFERED 2048
#define MAX_CLOCK_READS 256 /* instructions of the kernel that read the TSC */

int qemu_plugin_version = QEMU_PLUGIN_FIRST_API;

/* clang-format off */
#define NUMBERS(X) \
	X(fn_switch) X(fn_enqueue) X(fn_dequeue) X(fn_wakeup) X(fn_migrate) \
	X(runqueues) X(cpu_number) X(rq_clock) X(rq_cpu) X(rq_nr_running) X(rq_local_nr) \
	X(task_pid) X(task_comm) X(task_state) X(task_cpu) X(task_cgroups) \
	X(css_set_cgroup) X(cgroup_kn) X(kn_name) X(kn_parent) \
	X(from) X(limit)
/* clang-format on */

#define X(name) uint64_t name;
static struct {
	NUMBERS(X)
} number;
static struct {
	NUMBERS(X)
} is_given;
#undef X

static struct {
	uint64_t address;
	unsigned int task_argument;  /* 0 = none, 1 = the first, 2 = ... */
	unsigned int other_argument; /* index of the argument to record */
	bool is_pointer;	     /* it points to the number */
	uint64_t offset;
} calls[MAX_CALLS];

/* Argument registers first, in order. */
enum reg { RDI, RSI, RDX, RCX, R8, R9, ARGUMENTS, RAX = ARGUMENTS, RSP, GS_BASE, REG_COUNT };
static const char *const reg_names[REG_COUNT] = { "rdi", "rsi", "rdx", "rcx",	 "r8",
						  "r9",	 "rax", "rsp", "gs_base" };
static struct plugin_register regs[REG_COUNT];

static int out_fd = -1;
static struct trace_record buffer[BUFFERED];
static size_t buffered;
static uint64_t emitted;
static __thread GByteArray *bytes; /* buffer of the last read */

static uint64_t last_time, counter;
static int64_t counter_lead; /* lead of the kernel's clock over the TSC */
static bool has_lead;
static uint64_t clock_reads[MAX_CLOCK_READS];
static size_t clock_read_count;
static uint32_t running[MAX_CPUS];
static struct {
	uint32_t pid;
	char comm[TRACE_TEXT];
	uint64_t cgroup;
} tasks[KNOWN_TASKS];
static uint64_t cgroups[KNOWN_CGROUPS];
static uint32_t cgroup_count;

static void flush(void)
{
	const char *at = (const char *)buffer;
	size_t left = buffered * sizeof(buffer[0]);

	while (left) {
		ssize_t n = write(out_fd, at, left);

		if (n <= 0)
			break;
		at += n;
		left -= (size_t)n;
	}
	buffered = 0;
}

/*
 * Returns whether to drop the record for lack of room: records of other tasks are dropped first, to
 * keep room for the end. Switches are kept longer, since they show what the CPUs did meanwhile.
 */
static bool is_spare(const struct trace_record *r)
{
	bool is_of_call = r->type >= TRACE_ENTER && r->type <= TRACE_LEAVE;

	/* Keep calls complete: a partial one would look as if it had not returned. */
	if (is_of_call || !programs_are_of_others(r->pid, r->time_ns))
		return false;
	if (r->type != TRACE_SWITCH)
		return !plugin_has_room();
	return programs_are_of_others(r->arg, r->time_ns) && emitted >= number.limit / 8 * 7;
}

/* Names are emitted only once, so they are kept even before the time of interest. */
void plugin_emit(const struct trace_record *r)
{
	bool is_name = r->type == TRACE_NAME || r->type == TRACE_CGROUP_NAME;

	if (window_is_wanted()) {
		window_take(r, out_fd);
		return;
	}
	if ((plugin_is_early(r->time_ns) && !is_name) ||
	    (is_given.limit && (emitted == number.limit || (!is_name && is_spare(r)))))
		return;
	emitted++;
	buffer[buffered++] = *r;
	if (buffered == BUFFERED)
		flush();
}

static void empty_bytes(void)
{
	if (!bytes)
		bytes = g_byte_array_new();
	bytes->len = 0;
}

static bool read_bytes(uint64_t address, void *out, size_t len)
{
	empty_bytes();
	if (!address || !qemu_plugin_read_memory_vaddr(address, bytes, len) || bytes->len < len)
		return false;
	memcpy(out, bytes->data, len);
	return true;
}

static uint64_t read_u64(uint64_t address)
{
	uint64_t value = 0;

	return read_bytes(address, &value, sizeof(value)) ? value : 0;
}

static uint32_t read_u32(uint64_t address)
{
	uint32_t value = 0;

	return read_bytes(address, &value, sizeof(value)) ? value : 0;
}

static uint64_t read_register(enum reg which)
{
	empty_bytes();
	return plugin_register_value(&regs[which], bytes);
}

uint64_t plugin_gs_base(void)
{
	return read_register(GS_BASE);
}

uint64_t plugin_argument(unsigned int index)
{
	return index < ARGUMENTS ? read_register((enum reg)index) : 0;
}

uint64_t plugin_result(void)
{
	return read_register(RAX);
}

uint64_t plugin_stack(void)
{
	return read_register(RSP);
}

uint32_t plugin_running(uint32_t cpu)
{
	return running[cpu];
}

bool plugin_is_early(uint64_t time_ns)
{
	return time_ns < number.from;
}

bool plugin_read(uint64_t address, void *out, size_t len)
{
	return !len || read_bytes(address, out, len);
}

bool plugin_has_room(void)
{
	return window_is_wanted() ? window_has_room() : emitted < number.limit / 2;
}

/*
 * Per-CPU variables are at their symbol plus gs_base. The vCPU index cannot be used: translated
 * code is shared.
 */
static uint32_t this_cpu(uint64_t gs)
{
	static struct {
		uint64_t gs;
		uint32_t cpu;
	} known[MAX_CPUS];
	size_t i = (size_t)(gs >> 12 ^ gs >> 20) % MAX_CPUS;

	if (gs != known[i].gs || !(gs >> 63)) {
		known[i].cpu = read_u32(gs + number.cpu_number);
		known[i].gs = gs;
	}
	return known[i].cpu < MAX_CPUS ? known[i].cpu : MAX_CPUS - 1;
}

/*
 * The clock of a run queue lags if the kernel has not updated it, after an idle CPU wakes up by the
 * length of its sleep. The TSC counts nanoseconds in sim, and its last value was read on the way to
 * here. The clock leads the TSC at most by the lead right after an update, so the time is the TSC
 * plus the maximum lead. All CPUs share the TSC and run one after the other, so time never goes
 * back.
 */
static uint64_t time_of(uint64_t rq)
{
	uint64_t now = read_u64(rq + number.rq_clock);
	int64_t lead = (int64_t)(now - counter);

	if (counter && now && (!has_lead || lead > counter_lead)) {
		counter_lead = lead;
		has_lead = true;
	}
	if (has_lead)
		now = counter + (uint64_t)counter_lead;
	if (now > last_time)
		last_time = now;
	return last_time;
}

uint32_t plugin_cpu_at(uint64_t gs, uint64_t *time_ns)
{
	if (time_ns)
		*time_ns = time_of(gs + number.runqueues);
	return this_cpu(gs);
}

uint64_t plugin_last_time(void)
{
	return last_time;
}

uint32_t plugin_pid(uint64_t task)
{
	return read_u32(task + number.task_pid);
}

uint32_t plugin_cpu(uint64_t *time_ns)
{
	return plugin_cpu_at(read_register(GS_BASE), time_ns);
}

static void emit_text(uint16_t type, uint32_t id, uint64_t time, const char *text, size_t len)
{
	do {
		struct trace_record r = { .time_ns = time, .type = type, .pid = id };
		size_t part = len < TRACE_TEXT ? len : TRACE_TEXT;

		memcpy(r.text, text, part);
		plugin_emit(&r);
		text += part;
		len -= part;
	} while (len);
}

/* Emits "/a/b", built from the leaf up to the root. */
static void name_cgroup(uint32_t id, uint64_t kn, uint64_t time)
{
	char path[MAX_DEPTH * NAME_BYTES], name[NAME_BYTES];
	size_t at = sizeof(path);

	for (int depth = 0; kn && depth < MAX_DEPTH; depth++) {
		size_t len = 0;

		if (read_bytes(read_u64(kn + number.kn_name), name, sizeof(name)))
			len = strnlen(name, sizeof(name));
		if (!len || len + 1 > at)
			break;
		at -= len;
		memcpy(path + at, name, len);
		path[--at] = '/';
		kn = is_given.kn_parent ? read_u64(kn + number.kn_parent) : 0;
	}
	if (at == sizeof(path))
		path[--at] = '/';
	emit_text(TRACE_CGROUP_NAME, id, time, path + at, sizeof(path) - at);
}

static uint32_t cgroup_id(uint64_t cgroup, uint64_t time)
{
	for (uint32_t i = 0; i < cgroup_count; i++)
		if (cgroups[i] == cgroup)
			return i;
	if (cgroup_count == KNOWN_CGROUPS)
		return KNOWN_CGROUPS;
	cgroups[cgroup_count] = cgroup;
	name_cgroup(cgroup_count, read_u64(cgroup + number.cgroup_kn), time);
	return cgroup_count++;
}

/* Returns the PID; emits name and cgroup of the task if they are new. */
uint32_t plugin_describe(uint64_t task, uint64_t time, uint32_t cpu)
{
	uint32_t pid = read_u32(task + number.task_pid);
	uint64_t cgroup = 0;
	char comm[TRACE_TEXT];

	if (!pid)
		return 0;
	if (read_bytes(task + number.task_comm, comm, sizeof(comm)) &&
	    (tasks[pid % KNOWN_TASKS].pid != pid ||
	     memcmp(tasks[pid % KNOWN_TASKS].comm, comm, sizeof(comm)) != 0)) {
		memcpy(tasks[pid % KNOWN_TASKS].comm, comm, sizeof(comm));
		emit_text(TRACE_NAME, pid, time, comm, strnlen(comm, sizeof(comm)));
	}
	if (is_given.task_cgroups)
		cgroup = read_u64(read_u64(task + number.task_cgroups) + number.css_set_cgroup);
	if (cgroup &&
	    (tasks[pid % KNOWN_TASKS].pid != pid || tasks[pid % KNOWN_TASKS].cgroup != cgroup)) {
		tasks[pid % KNOWN_TASKS].cgroup = cgroup;
		plugin_emit(&(struct trace_record){ .time_ns = time,
						    .type = TRACE_CGROUP,
						    .cpu = (uint16_t)cpu,
						    .pid = pid,
						    .arg = cgroup_id(cgroup, time) });
	}
	tasks[pid % KNOWN_TASKS].pid = pid;
	return pid;
}

/* Tasks that are switched in are described each time; this is for the others. */
void plugin_introduce(uint32_t pid, uint64_t task, uint64_t time_ns, uint32_t cpu)
{
	if (tasks[pid % KNOWN_TASKS].pid != pid)
		plugin_describe(task, time_ns, cpu);
}

static void emit_length(uint64_t rq, uint32_t cpu, uint64_t time)
{
	if (!is_given.rq_nr_running)
		return;
	plugin_emit(&(struct trace_record){
		.time_ns = time,
		.type = TRACE_LENGTH,
		.cpu = (uint16_t)cpu,
		.arg = read_u32(rq + number.rq_nr_running),
		.value = is_given.rq_local_nr ? read_u32(rq + number.rq_local_nr) : 0 });
}

/* __switch_to(prev, next) */
static void on_switch(unsigned int vcpu, void *data)
{
	uint64_t prev = read_register(RDI), next = read_register(RSI);
	uint64_t gs = read_register(GS_BASE), rq = gs + number.runqueues;
	uint32_t cpu = this_cpu(gs);
	uint64_t time = time_of(rq);
	struct trace_record r = { .time_ns = time, .type = TRACE_SWITCH, .cpu = (uint16_t)cpu };

	(void)vcpu;
	(void)data;
	r.pid = plugin_describe(next, time, cpu);
	r.arg = read_u32(prev + number.task_pid);
	r.value = is_given.task_state ? read_u32(prev + number.task_state) : 0;
	running[cpu] = r.pid;
	plugin_emit(&r);
	emit_length(rq, cpu, time);
}

/* enqueue_task(rq, p, flags), dequeue_task(rq, p, flags); data = the record type. */
static void on_queue(unsigned int vcpu, void *data)
{
	uint64_t rq = read_register(RDI), task = read_register(RSI);
	uint32_t here = this_cpu(read_register(GS_BASE));
	uint32_t cpu = read_u32(rq + number.rq_cpu);
	uint64_t time;

	(void)vcpu;
	if (cpu >= MAX_CPUS)
		return;
	time = time_of(rq);
	plugin_emit(&(struct trace_record){ .time_ns = time,
					    .type = (uint16_t)(uintptr_t)data,
					    .cpu = (uint16_t)cpu,
					    .pid = plugin_describe(task, time, cpu),
					    .arg = here,
					    .value = (uint32_t)read_register(RDX) });
}

/* try_to_wake_up(p, state, flags) */
static void on_wakeup(unsigned int vcpu, void *data)
{
	uint64_t gs = read_register(GS_BASE);
	uint32_t cpu = this_cpu(gs);
	uint64_t time = time_of(gs + number.runqueues);

	(void)vcpu;
	(void)data;
	plugin_emit(&(struct trace_record){ .time_ns = time,
					    .type = TRACE_WAKEUP,
					    .cpu = (uint16_t)cpu,
					    .pid = plugin_describe(read_register(RDI), time, cpu),
					    .arg = running[cpu] });
}

/* set_task_cpu(p, new_cpu) */
static void on_migrate(unsigned int vcpu, void *data)
{
	uint64_t task = read_register(RDI), gs = read_register(GS_BASE);
	uint32_t target = (uint32_t)read_register(RSI), here = this_cpu(gs);
	uint32_t from = is_given.task_cpu ? read_u32(task + number.task_cpu) : here;
	uint64_t time = time_of(gs + number.runqueues);

	(void)vcpu;
	(void)data;
	if (from == target)
		return;
	plugin_emit(&(struct trace_record){ .time_ns = time,
					    .type = TRACE_MIGRATE,
					    .cpu = (uint16_t)from,
					    .pid = plugin_describe(task, time, from),
					    .arg = target });
}

/* Argument to record with a call. */
static uint64_t number_of(size_t index)
{
	uint64_t value = plugin_argument(calls[index].other_argument - 1);

	return calls[index].is_pointer ? read_u64(value + calls[index].offset) : value;
}

static void on_call(unsigned int vcpu, void *data)
{
	size_t index = (size_t)(uintptr_t)data;
	uint64_t time;
	uint32_t cpu = plugin_cpu(&time), pid = running[cpu];

	(void)vcpu;
	if (calls[index].task_argument)
		pid = plugin_describe(plugin_argument(calls[index].task_argument - 1), time, cpu);
	plugin_emit(&(struct trace_record){ .time_ns = time,
					    .type = TRACE_CALL,
					    .cpu = (uint16_t)cpu,
					    .pid = pid,
					    .value = (uint32_t)index,
					    .number = number_of(index) });
}

/* Called at the instruction after one that read the TSC. */
static void on_clock_read(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	debug_note_clock();
	counter = (read_register(RDX) & UINT32_MAX) << 32 | (read_register(RAX) & UINT32_MAX);
	stops_reached(counter);
	debug_reached();
}

static bool follows_clock_read(uint64_t address)
{
	for (size_t i = 0; i < clock_read_count; i++)
		if (clock_reads[i] == address)
			return true;
	return false;
}

/* rdtsc and rdtscp; the kernel selects one of them at boot. */
static void note_clock_read(const struct qemu_plugin_insn *insn, uint64_t address)
{
	uint8_t code[3] = {};
	size_t len = qemu_plugin_insn_data(insn, code, sizeof(code));
	bool is_read = code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
	uint64_t next = address + qemu_plugin_insn_size(insn);

	if (len >= 2 && is_read && clock_read_count < MAX_CLOCK_READS && !follows_clock_read(next))
		clock_reads[clock_read_count++] = next;
}

static void watch(struct qemu_plugin_insn *insn, uint64_t address)
{
	void (*cb)(unsigned int vcpu, void *data) = NULL;
	void *data = NULL;

	if (address == number.fn_switch)
		cb = on_switch;
	else if (address == number.fn_wakeup)
		cb = on_wakeup;
	else if (address == number.fn_migrate)
		cb = on_migrate;
	else if (address == number.fn_enqueue || address == number.fn_dequeue)
		cb = on_queue,
		data = (void *)(uintptr_t)(address == number.fn_enqueue ? TRACE_ENQUEUE :
									  TRACE_DEQUEUE);
	else if (follows_clock_read(address))
		cb = on_clock_read;
	for (size_t i = 0; !cb && i < MAX_CALLS; i++)
		if (calls[i].address == address)
			cb = on_call, data = (void *)(uintptr_t)i;
	if (cb)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_R_REGS, data);
}

static void on_translate(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	blocks_watch(tb);
	debug_watch_block(tb);
	functions_watch_block(tb);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		stops_watch(insn, address);
		/* Kernel addresses only; 0 means not given. */
		if (!(address >> 63) || stops_have_threads())
			continue;
		watch(insn, address);
		programs_watch(insn, address);
		functions_watch(insn, address);
		note_clock_read(insn, address);
	}
}

static void on_vcpu(void)
{
	GArray *all = qemu_plugin_get_registers();

	for (unsigned int i = 0; i < all->len; i++) {
		struct qemu_plugin_reg_descriptor *d = qemu_plugin_nth_register(all, i);

		for (size_t k = 0; k < REG_COUNT; k++)
			if (strcmp(d->name, reg_names[k]) == 0)
				regs[k] = (struct plugin_register){ d->handle, true };
	}
	debug_take_registers(all);
	g_array_free(all, 1);
}

static void on_exit_of_qemu(void)
{
	if (window_is_wanted())
		window_finish(out_fd);
	else
		flush();
}

/*
 * Parses call=INDEX:ARGUMENT:ADDRESS; if the recorded argument is not the one after the task, it is
 * followed by :ARGUMENT:OFFSET of a pointer and the number behind it.
 */
static bool take_call(const char *text)
{
	char *end;
	unsigned long index = strtoul(text, &end, 10), argument;

	if (*end != ':' || index >= MAX_CALLS)
		return false;
	argument = strtoul(end + 1, &end, 10);
	if (*end != ':' || argument > ARGUMENTS)
		return false;
	calls[index].task_argument = (unsigned int)argument;
	calls[index].other_argument = (unsigned int)argument + 1;
	calls[index].address = strtoull(end + 1, &end, 16);
	if (*end != ':')
		return !*end;
	calls[index].other_argument = (unsigned int)strtoul(end + 1, &end, 10);
	calls[index].is_pointer = true;
	if (*end != ':')
		return false;
	calls[index].offset = strtoull(end + 1, &end, 16);
	return !*end;
}

/* NOLINTNEXTLINE(readability-function-size): of a macro */
static bool take_argument(const char *text)
{
	const char *value = strchr(text, '=');
	size_t len = value ? (size_t)(value - text) : 0;
	char *end;

	if (!value++)
		return false;
	if (strncmp(text, "out", len) == 0)
		return (out_fd = open(value, O_WRONLY | O_CLOEXEC)) >= 0;
	if (strncmp(text, "call", len) == 0)
		return take_call(value);
	if (stops_take_argument(text) || blocks_take_argument(text) ||
	    programs_take_argument(text) || functions_take_argument(text) ||
	    window_take_argument(text) || debug_take_argument(text))
		return true;
#define X(name)                                                       \
	if (strlen(#name) == len && strncmp(text, #name, len) == 0) { \
		number.name = strtoull(value, &end, 16);              \
		is_given.name = 1;                                    \
		return !*end;                                         \
	}
	NUMBERS(X)
#undef X
	return false;
}

static void translate_by_id(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	on_translate(tb);
}

static void translate_with_data(struct qemu_plugin_tb *tb, void *data)
{
	(void)data;
	on_translate(tb);
}

/*
 * QEMU reads the version before it calls any function of the plugin, but after constructors. QEMU
 * versions differ in the version numbers they accept, not in the functions used here: the host
 * passes the version in the file name.
 */
__attribute__((constructor)) static void choose_version(void)
{
	static const char prefix[] = "/memfd:" PLUGIN_FILE_PREFIX;
	unsigned long version = 0;
	char name[64] = "";
	Dl_info self;

	if (dladdr(&qemu_plugin_version, &self) &&
	    readlink(self.dli_fname, name, sizeof(name) - 1) > 0 &&
	    strncmp(name, prefix, strlen(prefix)) == 0)
		version = strtoul(name + strlen(prefix), NULL, 10);
	if (version)
		qemu_plugin_version = (int)version;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	bool has_data = info->version.cur >= 7;
	struct trace_header header = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record), 0 };

	for (int i = 0; i < argc; i++)
		if (!take_argument(argv[i]))
			return -1;
	if (out_fd < 0 ? !stops_are_wanted() && !debug_is_wanted() :
			 write(out_fd, &header, sizeof(header)) != sizeof(header))
		return -1;
	stops_begin();
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id,
					      has_data ? (qemu_plugin_callback)translate_with_data :
							 (qemu_plugin_callback)translate_by_id,
					      NULL);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
