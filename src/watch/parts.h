/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_WATCH_PARTS_H
#define KTSTR_WATCH_PARTS_H

#include "watch/watch.h"

/* What space.c has to know of a machine. */

enum space_entry { ENTRY_NOTHING, ENTRY_TABLE, ENTRY_PAGE };

struct space_machine {
	uint64_t load_step; /* the kernel is loaded at multiples of this */
	/*
	 * Whether the kernel that is loaded here runs here, too: a copy of its text may lie elsewhere.
	 * Then image and slide are known.
	 */
	bool (*take_load)(struct space *s, uint64_t load);
	/* Page tables, and where all memory is. */
	void (*settle)(struct space *s);
	/* Of a table whose entries lead to pages (level 1), or to tables of the level below. */
	enum space_entry (*look_at)(uint64_t entry, unsigned int level);
	uint64_t entry_address; /* the bits of an entry that are an address */
	uint64_t first_symbol;	/* what lies below does not move with the kernel */
	bool has_own_tables;	/* the kernel's addresses have page tables of their own */
};

extern const struct space_machine space_x86, space_arm64;

/* Before anything is known: what lies so far behind the kernel's first byte. */
bool space_read_loaded(const struct space *s, uint64_t load, enum watch_symbol symbol, void *data,
		       size_t len);

/* Behind the last byte of the guest's memory. */
uint64_t space_memory_end(const struct space *s);

/*
 * scx.c: Where a kernel has what belongs to the sched_ext scheduler that is loaded: in a struct
 * scx_sched since 6.16, and in variables of its own before.
 */

/* What stands for that scheduler; 0 = none is loaded, or the kernel does not tell. */
uint64_t scx_instance(struct space *space);

/* The rest is of an instance; addresses are 0 where they are not known. */

/* Its copy of struct sched_ext_ops. */
uint64_t scx_ops(struct space *space, uint64_t instance);
/* Its struct rhashtable with the queues that it has made. */
uint64_t scx_dsq_hash(struct space *space, uint64_t instance);
/* An array of pointers to the global queues of each node, or to structs that have them. */
uint64_t scx_global_dsqs(struct space *space, uint64_t instance);
/*
 * Why the kernel takes it down, as an enum scx_exit_kind; 0 = it does not. When that has begun
 * the reason is in what the scheduler will be told.
 */
uint64_t scx_exit_kind(struct space *space, uint64_t instance);
/*
 * Whether a task has waited for half of the time after which the kernel's watchdog throws the scheduler
 * out. Looks at few tasks of each CPU: those that became runnable first.
 */
bool scx_half_stalled(struct space *space, uint64_t instance, unsigned int cpu_count);

/* idr.c: The kernel's tables of numbered objects: struct idr, which is an xarray. */

#define IDR_MAX_OBJECTS 4096

struct idr_objects {
	VEC(uint64_t) items; /* addresses in the order of their numbers */
	bool is_cut;	     /* there was more, or a part of it cannot be read */
};

/* -ENOMEM only. A kernel without the table has no objects. */
int idr_read(struct idr_objects *o, struct space *space, enum watch_symbol table);
void idr_finish(struct idr_objects *o);

#define _idr_objects_ _cleanup_(idr_finish)

/* task.c: One task of the guest, out of its struct task_struct. */

/* False = there is none that could be read. */
bool task_read(struct task_view *t, struct space *space, uint64_t address, uint64_t now_ns);

/* scalar.c: Values without parts. */

enum scalar_kind {
	SCALAR_NONE, /* the value has parts, or no known type */
	SCALAR_UINT,
	SCALAR_INT,
	SCALAR_BOOL,
	SCALAR_ENUM,
	SCALAR_PTR,
	SCALAR_FLOAT,
	SCALAR_TRUNCATED, /* fewer bytes than its type needs */
};

struct scalar {
	enum scalar_kind kind;
	unsigned int bits;
	uint64_t number; /* with its sign extended */
	bool is_signed;
	double real;	     /* of a float, whose bytes are the number */
	const char *variant; /* of an enum; NULL = the number has no name */
};

/* v has been resolved. */
struct scalar scalar_read(const struct datum *v);
struct scalar scalar_read_bits(const struct datum_part *part);

/* Characters: an array of bytes of one character each. */
bool datum_is_bytes(const struct datum *v, bool *is_text);

/* kernel_view.c: What is shown of the kernel's own structs, of which some have hundreds of members. */

enum kernel_view {
	VIEW_NOT,
	VIEW_SHOWN,
	VIEW_FOLLOWED, /* a pointer that is followed */
};

/* Of a member with this name and type of the kernel's struct. */
enum kernel_view kernel_view_of(const struct btf *types, const char *owner, const char *member,
				uint32_t type);

/* map_contents.c: Reading what a map holds, by its type. */

struct map_walk {
	struct maps *out;
	struct space *space;
	const struct watch_layout *layout;
	unsigned int cpu_count;
	size_t steps; /* that are left, of all maps together */
	size_t types; /* bytes of BTF that may still be read */
	int rc;
};

/* Fills in what the map holds and how much of it was read. */
void map_contents_read(struct map_walk *w, struct map_view *m);

/* "percpu_hash"; NULL = a type that has no name here. */
const char *map_type_name(uint32_t type);

/* map_write.c: Writing to a scheduler's variables from outside. */

/*
 * "state.mode=3": a global variable of a scheduler, or a part of it, of 1, 2, 4 or 8 bytes. The guest
 * does not run meanwhile. -ENOENT with the variables that there are, or -EINVAL, or -EFAULT.
 */
int map_write(const char *wish, const struct maps *maps, struct space *space);

/*
 * core_file.c: A guest as a core file, for gdb and crash: all its memory, at the addresses at which
 * its kernel has it, and the registers of its vCPUs as threads. It has the form that a kernel's own
 * crash dump has (/proc/vmcore), with the kernel's note about itself. It is made from memory that
 * is read, and not by QEMU: that would have to stop the guest first, which a sim run does not
 * survive unchanged.
 */

/* Where nothing was written the file has a hole. Of a file that cannot be written nothing is left. */
int core_file_write(const char *path, struct space *space, const struct vcpus *vcpus);

/* dump_maps.c: Maps of a dump in lines. */

/*
 * Who has maps and programs: a failure dump beside its snapshot, other snapshots each their own.
 * The first one is the dump itself; NULL = there is no other.
 */
const struct json_node *dump_next_holder(const struct json_node *dump,
					 const struct json_node *holder);

/* Without those of ktstr's own observer. */
void dump_add_maps(const struct json_node *dump, const struct dump_limits *limits, struct str *out);

/* What the storage of tasks has of this one. */
void dump_add_entries_of(const struct json_node *dump, uint64_t pid, struct str *out);

/*
 * watcher_dump.c: Everything of a watched guest at one moment: snapshots, the dump of a failure,
 * and an earlier one that shows what led to it.
 */

/* Nothing more can be read: rc's message becomes the series' problem. */
void watcher_give_up(struct watcher *w, int rc);

/* The kernel of a guest that boots is there some time later; false = not yet. */
bool watcher_find_kernel(struct watcher *w);

/* Where the vCPUs of a guest that stands still are. */
void watcher_read_vcpus(struct watcher *w);

/* Appends the present moment to the snapshots. */
void watcher_take_snapshot(struct watcher *w, struct moment m);

/* The dump of a failure: of several moments the first counts, as what follows is its consequence. */
void watcher_take_dump(struct watcher *w, const char *trigger);

/* The same for the earlier one, before there is a dump; name: what was seen, or NULL. */
void watcher_take_early(struct watcher *w, const char *trigger, const char *name);

/* watcher_plugin.c: How a watcher is told where a guest stops. */

/* Of emulated x86-64 guests: the plugin's option and its socket. */
int watcher_open_plugin(struct watcher *w);

/* Of others, where writes are watched. */
int watcher_open_stub(struct watcher *w);

/*
 * watcher_wishes.c: What a test wants before its body does anything: its scheduler is there then,
 * and so are its maps.
 */

/*
 * Once. A wish that cannot be met has a line in w->problems, with the attribute's name. has_kernel: the
 * guest's memory can be read; else w->series.problem says why not.
 */
void watcher_meet_wishes(struct watcher *w, bool has_kernel);

/* layout.c */

/* Whether all of them are there. */
bool layout_has_all(const struct watch_layout *l, const enum watch_member *members, size_t count);

/* space.c */

/*
 * The physical address by the kernel's page tables, and how far the page goes; false = nothing is mapped
 * there, as far as that.
 */
bool space_walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left);

/* The first page from this address on that is mapped; end = there is none before it. */
uint64_t space_next_page(struct space *s, uint64_t address, uint64_t end);

/* Whether an address is one of the kernel's, wherever it leads. */
bool space_is_kernel(const struct space *s, uint64_t address);

/* A return address without the bits that sign it. */
uint64_t space_plain_address(const struct space *s, uint64_t address);

/*
 * len bytes of the copies of all CPUs, one behind the other, at the cost of a few system calls.
 * False = not all of them can be had so: each has to be read by itself.
 */
bool space_read_cpus(struct space *s, uint64_t address, unsigned int cpu_count, size_t len,
		     char *out);

/* queues.c */

/* "running", "moving", "waiting" or "asleep". */
const char *task_state(const struct task_view *t);

/* programs.c */

/* NULL = there is none of that number. */
const struct program_view *programs_find(const struct programs *p, uint32_t id);

int program_follow_read(struct program_follow *f, struct space *space, unsigned int cpu_count);
void program_follow_finish(struct program_follow *f);

/* Members "programs", an array, and "programs_truncated" of the object that is being written. */
void programs_put_json(const struct programs *p, struct json *j);

/* prog_lines.c */

/* Adds the program whose struct bpf_prog is at this address. -ENOMEM only. */
int prog_lines_add(struct prog_lines *p, struct space *space, uint64_t program);

/* The line of an instruction; NULL = its function has no line info. */
const struct prog_line *prog_lines_at(const struct prog_lines *p, const struct prog_function *f,
				      uint64_t address);

/* vcpu.c */

/* QEMU's answer to "info registers -a". vCPUs without all registers are left out. */
int vcpus_parse(struct vcpus *v, const char *text);

bool vcpu_takes_interrupts(const struct vcpu *v);

/* The two for each machine. */
bool orc_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void orc_unwind(struct vcpu *v, struct space *space);
bool arm64_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void arm64_unwind(struct vcpu *v, struct space *space);

/* Member "vcpus" of the object that is being written; symbols and programs name the frames. */
int vcpus_put_json(const struct vcpus *v, const struct symbols *symbols, uint64_t slide,
		   const struct prog_lines *programs, struct json *j);

/* domains.c */

/* -ENOMEM only; what cannot be read is not there, or not known. */
int domains_read(struct domains *d, struct space *space, unsigned int cpu_count);
void domains_finish(struct domains *d);

/* Member "sched_domains", an array, of the object that is being written. */
void domains_put_json(const struct domains *d, unsigned int cpu, struct json *j);

/* datum.c */

/*
 * A node with its kind: {"kind":"uint","bits":32,"value":7}; structs have members, arrays
 * elements, pointers what they lead to, see chase.c. What is too deep, too long or has no known type
 * says so in a node of its own. map: whose value it is; chase: NULL = pointers are not followed.
 */
void datum_to_json(const struct datum *v, const char *map, struct json *j,
		   struct datum_budget *budget, struct chase *chase);

/* The type without typedefs and qualifiers; .types NULL when there is none. */
struct datum datum_resolved(const struct datum *v);

/* False = there is no such part; v has been resolved. */
bool datum_part(const struct datum *v, size_t i, struct datum_part *part);

/* guest_types.c */

/*
 * Copies the types at this address, of *left bytes that may still be read. -ENOMEM only: BTF that
 * the guest's kernel accepted is sound; forged BTF is no BTF, and has no data.
 */
int guest_types_read(struct guest_types *t, struct space *space, uint64_t address, size_t *left);
void guest_types_finish(struct guest_types *t);

/* maps.c */

/*
 * Members "maps", an array, and "maps_truncated" of the object that is being written. chase: NULL =
 * pointers are not followed.
 */
void maps_put_json(const struct maps *m, struct json *j, struct chase *chase);

/* casts.c */

/* NULL = nothing is known. */
const struct cast *casts_find(const struct casts *c, enum cast_owner kind, const char *owner,
			      uint32_t offset);

/* Sorts the table; to be called once, before anybody asks. */
void casts_sort(struct casts *c);
void casts_finish(struct casts *c);

/* slots.c */

/* Fills c->slots from the maps of c; arenas are known. -ENOMEM only. */
int slots_read(struct chase *c);

/* The slot in which this address is; NULL = none. */
const struct slot *slots_find(const struct slots *s, uint64_t types, uint64_t address);

/* chase.c */

int chase_open(struct chase *c, struct space *space, const struct maps *maps,
	       const struct chase_types *types);
void chase_close(struct chase *c);

/* The next value is one of this map. */
void chase_begin(struct chase *c, const struct map_view *map);

void chase_follow(struct chase *c, const struct chase_from *from, struct chase_target *out);
void chase_leave(struct chase *c, struct chase_target *target);

/* The kernel's address of what the programs with these types call so in their arena. */
bool chase_find_in_arena(const struct chase *c, uint64_t types, uint64_t value, uint64_t *at);

/* What is known about a field; NULL = nothing. */
const struct cast *chase_cast(const struct chase *c, enum cast_owner kind, const char *owner,
			      uint64_t offset);

/* Whether the number is an address to which such a cast can lead. */
bool chase_is_address(struct chase *c, uint64_t value, enum cast_space space);

/* watchpoints.c */

/* The section of variables that a map is, as one value; false = it is another map. */
bool variables_of(const struct maps *all, const struct map_view *m, struct datum *out);

/* What a global variable, or a part of it, holds. -ENOENT with the same message. */
int variable_find(const char *name, const struct maps *maps, struct datum_part *out);
/* Where it is. */
int variable_place(const char *name, const struct maps *maps, const struct space *space,
		   struct trace_watch *out);

/* bpf_cover.c */

/* The index of a file; SIZE_MAX = no memory, with a message. */
size_t bpf_cover_file(struct bpf_cover *c, const char *name);

/* A function, added when it is new; NULL = no memory, with a message. */
struct cover_function *bpf_cover_function(struct bpf_cover *c, const char *program,
					  const char *name);

/* Adds executions; the text is copied where the line is new. */
int bpf_cover_line(struct bpf_cover *c, struct cover_function *f, const struct cover_line *line);
int bpf_cover_branch(struct cover_function *f, const struct cover_branch *branch);

int bpf_cover_pair(struct bpf_cover *c, const struct cover_pair *pair);

struct cover_kernel *bpf_cover_kernel(struct bpf_cover *c, const char *name, uint32_t bytes);
int bpf_cover_block(struct cover_kernel *k, const struct cover_block *block);

/* kernel_functions.c */

/* -ENOMEM only. */
int kernel_functions_find(struct kernel_functions *f, const struct symbols *symbols);
void kernel_functions_finish(struct kernel_functions *f);

/* bpf_blocks.c */

/* Which functions of the kernel are to be counted, before it runs. */
int bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols);

/* The guest begins anew. */
void bpf_blocks_reset(struct bpf_blocks *b);

/* Programs that are there before it runs: those of a template. */
void bpf_blocks_begin(struct bpf_blocks *b, struct space *space);

/* It has stopped for a program; space = NULL: its memory cannot be read. */
void bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program);

/* The guest asked for a stop; false = that was no mark. */
bool bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag);

/* The same of blocks in memory. */
int bpf_blocks_add(const struct bpf_blocks *b, const struct trace_block *blocks, size_t count,
		   struct bpf_cover *out);

/* moment.c */

void moment_to_json(const struct moment *s, struct json *j);

/* Appends to the text of a file of snapshots, which is whole after each of them. */
int moment_add_to_file(const struct moment *s, struct str *text);

/* series.c */

/* Calls from the first sample to the last: what was known of the programs then. */
int series_set_programs(struct series *s, const struct programs *first,
			const struct programs *last);

/* monitor.c */

/* max(nr_running) / max(1, min(nr_running)); 1 without CPUs. */
double monitor_imbalance(const struct guest_sample *s);

/* The deepest local DSQ, and whose it is. */
uint32_t monitor_depth(const struct guest_sample *s, unsigned int *cpu);

/* Whether the CPU's clock stood still between two samples though it had something to run. */
bool monitor_is_stalled(const struct cpu_sample *before, const struct cpu_sample *after);

/*
 * While the guest runs, after each sample: whether imbalance, depth or a stall has just lasted long enough
 * to be a violation, and which. settles: the run will be so long that its first samples do not count.
 */
bool monitor_is_sustained(const struct series *s, const struct ktstr_assert *limits, bool settles,
			  struct monitor_detail *what);

/* snapshots.c */

/* A test begins, or its scenario after it: the last one counts, until there is a snapshot. */
void snapshots_begin(struct snapshots_plan *p, uint64_t now_ns);

/* Of the next one; SNAPSHOTS_NEVER = none is left, or nothing has begun. */
uint64_t snapshots_next(const struct snapshots_plan *p);

/* The guest's clocks stood still for so long. */
void snapshots_delay(struct snapshots_plan *p, uint64_t ns);

/*
 * Stops all vCPUs until guest_thaw(); false = QEMU has ended, or does not stop. Guests of sim stand
 * still anyway while they are looked at.
 */
bool guest_freeze(struct vm *vm, bool by_monitor);
/* Returns whether the guest's clocks stood still meanwhile: only the monitor stops them. */
bool guest_thaw(struct vm *vm, bool by_monitor);

/* hang.c */

/* How long jiffies may stand still, of the guest's clock in sim and of both clocks elsewhere. */
uint64_t hang_limit_ns(enum vm_accel accel);

/*
 * Whether they have stood still for that long. now_ns: of the guest's clock in sim, else of ours; used_ns:
 * what the vCPUs have used of a CPU, in sim again the guest's clock. Who is suspected is looked at, and
 * is suspected again after as long.
 */
bool hang_suspect(struct hang *h, uint64_t jiffies, uint64_t now_ns, uint64_t used_ns,
		  uint64_t limit_ns);

/* Whether some vCPUs are busy, and all of those with interrupts disabled. */
bool hang_is_certain(const struct vcpus *v);

/* A sentence about it, with where the vCPUs are. */
void hang_describe(const struct vcpus *v, const struct symbols *symbols, struct space *space,
		   uint64_t limit_ns, struct str *out);

/* invariants.c */

/* Maps of a moment, at this time of the guest's clock. */
void invariants_look(struct invariants *v, const struct maps *maps, uint64_t clock_ns);

/* The run is over: tells of those that nobody could look at. */
void invariants_end(struct invariants *v, const char *problem);

void invariants_finish(struct invariants *v);

/* stub.c */

int stub_open(struct stub *s);
void stub_close(struct stub *s);

/* One more, of a guest that stands still. -EINVAL with a message: the processor cannot watch it. */
int stub_watch(struct stub *s, const struct trace_watch *w);
/* The same: nothing is watched any more. */
void stub_unwatch(struct stub *s);

/* Something has come from QEMU. */
bool stub_has_news(const struct stub *s);
/* Waits so long for QEMU to tell of a stop; sets is_held, has_hit and hit. */
void stub_await_stop(struct stub *s, uint64_t limit_ns);
/* The guest goes on. */
bool stub_go_on(struct stub *s);

/* notice.c */

/* Says which guest it is; memory and layout are the caller's to fill in. */
void notice_name(struct notice *n, const struct vm_session *session, const char *name,
		 const char *vmlinux);

/* A descriptor to keep open as long as the guest is there, or a negative errno with a message. */
int notice_post(struct notice *n);

/* False = these are not the bytes of one that can be used. */
bool notice_is_valid(const struct notice *n, size_t len);

/* dump_text.c */

/* A node of datum_to_json() on one line: {vtime=7 name="x" clock={...}}; zeros are left out. */
void dump_add_value(const struct json_node *value, size_t columns, struct str *out);
bool dump_is_zero(const struct json_node *value);

#endif
