/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_WATCH_PARTS_H
#define KTSTR_WATCH_PARTS_H

#include "watch/watch.h"

/* Architecture-specific part of space.c. */

enum space_entry { ENTRY_NOTHING, ENTRY_TABLE, ENTRY_PAGE };

struct space_machine {
	uint64_t load_step; /* alignment of the kernel's load address */
	/*
	 * Returns whether the kernel found at this load address is the one that runs: there may be
	 * another copy of its text. Then sets image and slide.
	 */
	bool (*take_load)(struct space *s, uint64_t load);
	/* Finds the page tables and the direct map. */
	void (*settle)(struct space *s);
	/*
	 * Classifies a page table entry; level 1 = entries are pages, else tables of the next lower
	 * level or large pages.
	 */
	enum space_entry (*look_at)(uint64_t entry, unsigned int level);
	uint64_t entry_address; /* mask of the address bits of an entry */
	uint64_t first_symbol;	/* symbols below are not moved with the kernel */
	bool has_own_tables;	/* kernel addresses have separate page tables */
};

extern const struct space_machine space_x86, space_arm64;

/* Reads a symbol of a kernel loaded at `load`, before the address space is known. */
bool space_read_loaded(const struct space *s, uint64_t load, enum watch_symbol symbol, void *data,
		       size_t len);

/* End of the guest's memory (physical, exclusive). */
uint64_t space_memory_end(const struct space *s);

/*
 * scx.c: location of the data of the loaded sched_ext scheduler: in a struct scx_sched since 6.16,
 * in separate variables before.
 */

/* Identifies the loaded scheduler; 0 = none, or unknown. */
uint64_t scx_instance(struct space *space);

/* The following functions take this instance; addresses are 0 if unknown. */

/* Address of its copy of struct sched_ext_ops. */
uint64_t scx_ops(struct space *space, uint64_t instance);
/* Address of the struct rhashtable with the DSQs that it created. */
uint64_t scx_dsq_hash(struct space *space, uint64_t instance);
/*
 * Address of the array of pointers to the global DSQs of each node, or to structs that contain
 * them.
 */
uint64_t scx_global_dsqs(struct space *space, uint64_t instance);
/*
 * Reason why the kernel ejects it, as enum scx_exit_kind; 0 = it does not. Once the ejection has
 * begun the reason is in the scheduler's exit info.
 */
uint64_t scx_exit_kind(struct space *space, uint64_t instance);
/*
 * Returns whether a task has been runnable for half of the watchdog timeout. Checks only a few
 * tasks of each CPU: those that became runnable first.
 */
bool scx_half_stalled(struct space *space, uint64_t instance, unsigned int cpu_count);

/* idr.c: struct idr of the kernel, which is an xarray. */

#define IDR_MAX_OBJECTS 4096

struct idr_objects {
	VEC(uint64_t) items; /* addresses in the order of their IDs */
	bool is_cut;	     /* incomplete, or partly unreadable */
};

/* -ENOMEM only. A kernel without the table has no objects. */
int idr_read(struct idr_objects *o, struct space *space, enum watch_symbol table);
void idr_finish(struct idr_objects *o);

#define _idr_objects_ _cleanup_(idr_finish)

/* task.c: reads a struct task_struct. */

/* False = unreadable. */
bool task_read(struct task_view *t, struct space *space, uint64_t address, uint64_t now_ns);

/* scalar.c: values without components. */

enum scalar_kind {
	SCALAR_NONE, /* the value has components, or its type is unknown */
	SCALAR_UINT,
	SCALAR_INT,
	SCALAR_BOOL,
	SCALAR_ENUM,
	SCALAR_PTR,
	SCALAR_FLOAT,
	SCALAR_TRUNCATED, /* less data than its type needs */
};

struct scalar {
	enum scalar_kind kind;
	unsigned int bits;
	uint64_t number; /* sign-extended */
	bool is_signed;
	double real;	     /* for a float; number has its bytes */
	const char *variant; /* of an enum; NULL = unnamed value */
};

/* v must be resolved. */
struct scalar scalar_read(const struct datum *v);
struct scalar scalar_read_bits(const struct datum_part *part);

/* Returns whether v is an array of bytes; *is_text: of characters. */
bool datum_is_bytes(const struct datum *v, bool *is_text);

/* kernel_view.c: selects the members of kernel structs to show; some structs have hundreds. */

enum kernel_view {
	VIEW_NOT,
	VIEW_SHOWN,
	VIEW_FOLLOWED, /* a pointer to follow */
};

/* For a member with this name and type of a kernel struct. */
enum kernel_view kernel_view_of(const struct btf *types, const char *owner, const char *member,
				uint32_t type);

/* map_contents.c: reads the contents of a map, by map type. */

struct map_walk {
	struct maps *out;
	struct space *space;
	const struct watch_layout *layout;
	unsigned int cpu_count;
	size_t steps; /* remaining budget, for all maps together */
	size_t types; /* remaining bytes of BTF that may be read */
	int rc;
};

/* Reads the contents of the map, and sets how much of it was read. */
void map_contents_read(struct map_walk *w, struct map_view *m);

/* "percpu_hash"; NULL = unknown type. */
const char *map_type_name(uint32_t type);

/* map_write.c: writes variables of a scheduler from outside. */

/*
 * Executes "state.mode=3" on a global variable of a scheduler, or a part of it, of 1, 2, 4 or 8
 * bytes. The guest must be stopped. -ENOENT with a list of variables, -EINVAL, or -EFAULT.
 */
int map_write(const char *wish, const struct maps *maps, struct space *space);

/*
 * core_file.c: writes a guest as a core file for gdb and crash: all its memory at its kernel
 * addresses, and the registers of its vCPUs as threads. The format is that of a kernel crash dump
 * (/proc/vmcore), with the kernel's VMCOREINFO note. It is made by reading memory, not by QEMU:
 * that would have to stop the guest first, which would change a sim run.
 */

/* Untouched memory becomes holes of the file. Removes the file on error. */
int core_file_write(const char *path, struct space *space, const struct vcpus *vcpus);

/* dump_maps.c: maps of a dump as text. */

/*
 * Iterates over the objects with maps and programs: a failure dump has them beside its snapshot,
 * other snapshots each have their own. The first one is the dump itself; NULL = end.
 */
const struct json_node *dump_next_holder(const struct json_node *dump,
					 const struct json_node *holder);

/* Without the maps of ktstr's own observer. */
void dump_add_maps(const struct json_node *dump, const struct dump_limits *limits, struct str *out);

/* Appends the entries of task storage maps for this task. */
void dump_add_entries_of(const struct json_node *dump, uint64_t pid, struct str *out);

/*
 * watcher_dump.c: reads everything of a guest at one moment: snapshots, the failure dump, and an
 * earlier dump that shows what led to it.
 */

/* Stops reading the guest: rc's message becomes the series' problem. */
void watcher_give_up(struct watcher *w, int rc);

/* Finds the kernel, which exists only some time after the start of a boot; false = not yet. */
bool watcher_find_kernel(struct watcher *w);

/* Reads registers of the vCPUs of a stopped guest. */
void watcher_read_vcpus(struct watcher *w);

/* Appends a snapshot of the current state. */
void watcher_take_snapshot(struct watcher *w, struct moment m);

/* Takes the failure dump; only once: later states are consequences of the first. */
void watcher_take_dump(struct watcher *w, const char *trigger);

/* Takes the early dump, if there is no dump yet; name: what was seen, or NULL. */
void watcher_take_early(struct watcher *w, const char *trigger, const char *name);

/* watcher_plugin.c: connections by which the watcher is notified of stops of the guest. */

/* For emulated x86-64 guests: sets the plugin's option and its socket. */
int watcher_open_plugin(struct watcher *w);

/* For other guests, if writes are watched: the gdb stub. */
int watcher_open_stub(struct watcher *w);

/*
 * watcher_wishes.c: requests of a test that are carried out before its body starts: at that point
 * its scheduler is attached and its maps exist.
 */

/*
 * Called once. A request that fails adds a line to w->problems, with the attribute's name.
 * has_kernel: guest memory can be read; else w->series.problem says why not.
 */
void watcher_meet_wishes(struct watcher *w, bool has_kernel);

/* layout.c */

/* Returns whether all of the members exist. */
bool layout_has_all(const struct watch_layout *l, const enum watch_member *members, size_t count);

/* space.c */

/*
 * Translates the address by the kernel's page tables. *left = bytes up to the end of the page, also
 * if it is not mapped (false).
 */
bool space_walk(struct space *s, uint64_t address, uint64_t *physical, uint64_t *left);

/* First mapped page from this address on; end = there is none before end. */
uint64_t space_next_page(struct space *s, uint64_t address, uint64_t end);

/* Returns whether it is a kernel address, mapped or not. */
bool space_is_kernel(const struct space *s, uint64_t address);

/* Return address without pointer authentication bits. */
uint64_t space_plain_address(const struct space *s, uint64_t address);

/*
 * Reads len bytes of all CPUs' copies, concatenated, with few system calls. False = not possible
 * for all of them: read each copy separately.
 */
bool space_read_cpus(struct space *s, uint64_t address, unsigned int cpu_count, size_t len,
		     char *out);

/* queues.c */

/* "running", "moving", "waiting" or "asleep". */
const char *task_state(const struct task_view *t);

/* programs.c */

/* NULL = no program with this ID. */
const struct program_view *programs_find(const struct programs *p, uint32_t id);

int program_follow_read(struct program_follow *f, struct space *space, unsigned int cpu_count);
void program_follow_finish(struct program_follow *f);

/* Writes the members "programs" (an array) and "programs_truncated" to the current JSON object. */
void programs_put_json(const struct programs *p, struct json *j);

/* prog_lines.c */

/* Adds the program whose struct bpf_prog is at this address. -ENOMEM only. */
int prog_lines_add(struct prog_lines *p, struct space *space, uint64_t program);

/* Line of an instruction; NULL = its function has no line info. */
const struct prog_line *prog_lines_at(const struct prog_lines *p, const struct prog_function *f,
				      uint64_t address);

/* vcpu.c */

/* Parses QEMU's answer to "info registers -a". Leaves out vCPUs with missing registers. */
int vcpus_parse(struct vcpus *v, const char *text);

bool vcpu_takes_interrupts(const struct vcpu *v);

/* Implementations by architecture. */
bool orc_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void orc_unwind(struct vcpu *v, struct space *space);
bool arm64_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);
void arm64_unwind(struct vcpu *v, struct space *space);

/* Writes the member "vcpus" to the current JSON object; symbols and programs name the frames. */
int vcpus_put_json(const struct vcpus *v, const struct symbols *symbols, uint64_t slide,
		   const struct prog_lines *programs, struct json *j);

/* domains.c */

/* -ENOMEM only; unreadable parts are missing or unknown. */
int domains_read(struct domains *d, struct space *space, unsigned int cpu_count);
void domains_finish(struct domains *d);

/* Writes the member "sched_domains" (an array) to the current JSON object. */
void domains_put_json(const struct domains *d, unsigned int cpu, struct json *j);

/* datum.c */

/*
 * Writes a node with its kind: {"kind":"uint","bits":32,"value":7}; structs have members, arrays
 * elements, pointers their target, see chase.c. A value that is too deep, too long or of unknown
 * type becomes a node that says so. map: owner of the value; chase: NULL = do not follow pointers.
 */
void datum_to_json(const struct datum *v, const char *map, struct json *j,
		   struct datum_budget *budget, struct chase *chase);

/* Strips typedefs and qualifiers from the type; .types is NULL if there is none. */
struct datum datum_resolved(const struct datum *v);

/* v must be resolved. False = no such component. */
bool datum_part(const struct datum *v, size_t i, struct datum_part *part);

/* guest_types.c */

/*
 * Copies the BTF at this address; *left = remaining budget in bytes. -ENOMEM only: BTF that was
 * accepted by the guest's kernel is valid; invalid BTF gives no data.
 */
int guest_types_read(struct guest_types *t, struct space *space, uint64_t address, size_t *left);
void guest_types_finish(struct guest_types *t);

/* maps.c */

/*
 * Writes the members "maps" (an array) and "maps_truncated" to the current JSON object. chase: NULL
 * = do not follow pointers.
 */
void maps_put_json(const struct maps *m, struct json *j, struct chase *chase);

/* casts.c */

/* NULL = unknown. */
const struct cast *casts_find(const struct casts *c, enum cast_owner kind, const char *owner,
			      uint32_t offset);

/* Sorts the table; must be called once before casts_find(). */
void casts_sort(struct casts *c);
void casts_finish(struct casts *c);

/* slots.c */

/* Fills c->slots from the maps of c; c->arenas must be filled. -ENOMEM only. */
int slots_read(struct chase *c);

/* The slot that contains this address; NULL = none. */
const struct slot *slots_find(const struct slots *s, uint64_t types, uint64_t address);

/* chase.c */

int chase_open(struct chase *c, struct space *space, const struct maps *maps,
	       const struct chase_types *types);
void chase_close(struct chase *c);

/* Starts the next value, which belongs to this map. */
void chase_begin(struct chase *c, const struct map_view *map);

void chase_follow(struct chase *c, const struct chase_from *from, struct chase_target *out);
void chase_leave(struct chase *c, struct chase_target *target);

/* Translates an arena address of the programs with this BTF to the kernel address. */
bool chase_find_in_arena(const struct chase *c, uint64_t types, uint64_t value, uint64_t *at);

/* Evidence about a field; NULL = none. */
const struct cast *chase_cast(const struct chase *c, enum cast_owner kind, const char *owner,
			      uint64_t offset);

/* Returns whether the value is an address in this space. */
bool chase_is_address(struct chase *c, uint64_t value, enum cast_space space);

/* watchpoints.c */

/* If the map is a section of variables, returns it as one value; else false. */
bool variables_of(const struct maps *all, const struct map_view *m, struct datum *out);

/*
 * Value of a global variable, or of a part of it. -ENOENT with a message that lists the variables.
 */
int variable_find(const char *name, const struct maps *maps, struct datum_part *out);
/* Its address and length. */
int variable_place(const char *name, const struct maps *maps, const struct space *space,
		   struct trace_watch *out);

/* bpf_cover.c */

/* Index of a file; SIZE_MAX = out of memory, with a message. */
size_t bpf_cover_file(struct bpf_cover *c, const char *name);

/* Finds or adds a function; NULL = out of memory, with a message. */
struct cover_function *bpf_cover_function(struct bpf_cover *c, const char *program,
					  const char *name);

/* Adds executions; copies the text if the line is new. */
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

/* Sets the kernel functions to count; called before the guest runs. */
int bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols);

/* The guest restarts. */
void bpf_blocks_reset(struct bpf_blocks *b);

/* Adds programs that exist before the guest runs: those of a template. */
void bpf_blocks_begin(struct bpf_blocks *b, struct space *space);

/* The guest has stopped because of a program; space = NULL: its memory cannot be read. */
void bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program);

/* The guest requested a stop with this tag; false = it is not a mark. */
bool bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag);

/* The same for blocks in memory. */
int bpf_blocks_add(const struct bpf_blocks *b, const struct trace_block *blocks, size_t count,
		   struct bpf_cover *out);

/* moment.c */

void moment_to_json(const struct moment *s, struct json *j);

/* Appends to the text of a snapshot file, which is complete after each call. */
int moment_add_to_file(const struct moment *s, struct str *text);

/* series.c */

/* Sets calls and time of the programs between the first sample and the last. */
int series_set_programs(struct series *s, const struct programs *first,
			const struct programs *last);

/* monitor.c */

/* max(nr_running) / max(1, min(nr_running)); 1 without CPUs. */
double monitor_imbalance(const struct guest_sample *s);

/* Depth of the deepest local DSQ, and its CPU. */
uint32_t monitor_depth(const struct guest_sample *s, unsigned int *cpu);

/*
 * Returns whether the CPU's clock stood still between two samples although it had runnable tasks.
 */
bool monitor_is_stalled(const struct cpu_sample *before, const struct cpu_sample *after);

/*
 * Called after each sample: returns whether imbalance, depth or a stall has just lasted long enough
 * to be a violation, and which. settles: the run is long enough that its first samples are ignored.
 */
bool monitor_is_sustained(const struct series *s, const struct ktstr_assert *limits, bool settles,
			  struct monitor_detail *what);

/* snapshots.c */

/* A test begins, or later its scenario: the last call counts, as long as no snapshot was taken. */
void snapshots_begin(struct snapshots_plan *p, uint64_t now_ns);

/* Time of the next snapshot; SNAPSHOTS_NEVER = none left, or not begun. */
uint64_t snapshots_next(const struct snapshots_plan *p);

/* The guest's clocks were stopped for this time. */
void snapshots_delay(struct snapshots_plan *p, uint64_t ns);

/*
 * Stops all vCPUs until guest_thaw(); false = QEMU has exited, or does not stop. Guests of sim are
 * already stopped while they are inspected.
 */
bool guest_freeze(struct vm *vm, bool by_monitor);
/* Returns whether the guest's clocks were stopped, too: only the monitor stops them. */
bool guest_thaw(struct vm *vm, bool by_monitor);

/* hang.c */

/* How long jiffies may stand still: guest time in sim, else both wall-clock and CPU time. */
uint64_t hang_limit_ns(enum vm_accel accel);

/*
 * Returns whether jiffies have stood still for that long. now_ns: guest clock in sim, else host
 * clock; used_ns: CPU time of the vCPUs, in sim the guest clock. After a suspicion the time starts
 * anew.
 */
bool hang_suspect(struct hang *h, uint64_t jiffies, uint64_t now_ns, uint64_t used_ns,
		  uint64_t limit_ns);

/* Returns whether some vCPUs are busy, and all busy ones have interrupts disabled. */
bool hang_is_certain(const struct vcpus *v);

/* Appends a sentence about the hang, with the positions of the vCPUs. */
void hang_describe(const struct vcpus *v, const struct symbols *symbols, struct space *space,
		   uint64_t limit_ns, struct str *out);

/* invariants.c */

/* Checks the invariants against these maps; clock_ns: guest clock. */
void invariants_look(struct invariants *v, const struct maps *maps, uint64_t clock_ns);

/* End of the run: reports invariants that could not be checked. */
void invariants_end(struct invariants *v, const char *problem);

void invariants_finish(struct invariants *v);

/* stub.c */

int stub_open(struct stub *s);
void stub_close(struct stub *s);

/*
 * Adds a watchpoint; the guest must be stopped. -EINVAL with a message if the CPU cannot watch it.
 */
int stub_watch(struct stub *s, const struct trace_watch *w);
/* Removes all watchpoints; the guest must be stopped. */
void stub_unwatch(struct stub *s);

/* Returns whether QEMU has sent something. */
bool stub_has_news(const struct stub *s);
/* Waits up to limit_ns for QEMU to report a stop; sets is_held, has_hit and hit. */
void stub_await_stop(struct stub *s, uint64_t limit_ns);
/* Resumes the guest. */
bool stub_go_on(struct stub *s);

/* notice.c */

/* Fills in the identity of the guest; the caller fills in memory and layout. */
void notice_name(struct notice *n, const struct vm_session *session, const char *name,
		 const char *vmlinux);

/*
 * Returns a descriptor to keep open as long as the guest exists, or a negative errno with a
 * message.
 */
int notice_post(struct notice *n);

/* False = not a valid notice. */
bool notice_is_valid(const struct notice *n, size_t len);

/* dump_text.c */

/* Appends a node of datum_to_json() on one line: {vtime=7 name="x" clock={...}}; omits zeros. */
void dump_add_value(const struct json_node *value, size_t columns, struct str *out);
bool dump_is_zero(const struct json_node *value);

#endif
