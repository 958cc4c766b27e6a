/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest that is watched while it runs, what was seen of it, and how that is told. */
#ifndef KTSTR_WATCH_WATCH_H
#define KTSTR_WATCH_WATCH_H

#include "base/json_tree.h"
#include "check/check.h"
#include "check/invariant.h"
#include "vm/engine.h"
#include "vm/session.h"
#include "watch/cover.h"
#include "watch/maps.h"

/* moment.c: Run queues, dispatch queues, tasks, maps and programs of one moment, read and as JSON. */

/*
 * Clocks of run queues stand still in a guest that hangs with interrupts disabled, or idles: since when, by
 * a clock that goes on, as far as samples tell. All 0 = nothing was seen yet.
 */
struct moment_still {
	uint64_t clock_ns, since_ns;
};

struct moment {
	const char *trigger;	    /* "scheduler exit", "on demand" */
	uint64_t tag;		    /* of one on demand */
	const char *name;	    /* NULL = the tag is its name */
	struct moment_still *still; /* of earlier samples, and goes on; NULL = nobody knows */
	uint64_t outer_ns;	    /* the clock that goes on; 0 = not known */
	uint64_t now_ns;	    /* the guest's clock, with the time that it stood still */
	const struct guest_sample *sample;
	const struct queues *queues;
	const struct domains *domains; /* or NULL */
	const struct maps *maps;       /* NULL, both: they are told elsewhere */
	const struct programs *programs;
	struct space *space;		 /* for pointers of the maps' values */
	const struct chase_types *types; /* the same; NULL = nothing is known besides the maps */
	const struct vcpus *vcpus;	 /* empty = QEMU was not asked; of a dump */
	uint64_t unreadable;
};

/* What is read for a moment besides its sample. */
struct moment_parts {
	struct queues queues;
	struct domains domains; /* with maps: for those who look once */
	struct maps maps;
	struct programs programs;
};

/*
 * Takes the sample and reads the rest; of maps nothing without has_maps. -ENODATA when no CPU can
 * be read: there is no such moment. The parts are to be finished in any case.
 */
int moment_read(struct moment *m, struct moment_parts *parts, struct guest_sample *sample,
		struct space *space, bool has_maps);
void moment_parts_finish(struct moment_parts *parts);

/* The guest's clock: the latest that any run queue has seen. */
uint64_t moment_clock(const struct guest_sample *sample);
/* The same with how long it has stood still by now, and remembers it. */
uint64_t moment_still_clock(struct moment_still *s, const struct guest_sample *sample,
			    uint64_t outer_ns);

/* Members of the object that is being written: maps and programs. The guest still stands still. */
void moment_put_bpf(const struct moment *s, struct json *j);
/* The same: snapshots, with this one alone, whose maps, programs and vCPUs stand beside it. */
void moment_put_alone(const struct moment *s, struct json *j);

/*
 * series.c: The samples of a run, and how they get from the process that took them to those that
 * judge.
 */

#define SERIES_PERIOD_NS 100000000ULL
#define SERIES_BUDGET_NS (10 * NSEC_PER_MSEC)
#define SERIES_MAX_SAMPLES 36000 /* an hour */
#define SERIES_PROBLEM 160

/* A BPF program of the scheduler, and how often and how long it ran while there were samples. */
struct series_program {
	char name[PROGRAMS_NAME + 1];
	uint64_t calls, ns;
};

struct series {
	size_t cpu_count;
	bool is_exact; /* taken at stops of a sim: no host was in between */
	VEC(struct guest_sample) samples;
	VEC(struct series_program) programs; /* whose calls are counted */
	uint64_t unreadable;		     /* reads that failed */
	uint64_t left_out;		     /* samples for which there was no room */
	uint64_t overruns;		     /* samples that took longer than SERIES_BUDGET_NS */
	char problem[SERIES_PROBLEM];	     /* why nothing could be watched; "" = it could */
};

/* Appends a copy with its own CPUs. */
int series_add(struct series *s, const struct guest_sample *sample);
void series_finish(struct series *s);

/* As bytes for another process of this program, and back. -EINVAL when they are none. */
int series_encode(const struct series *s, struct str *out);
int series_decode(struct series *s, const char *data, size_t len);

/* monitor.c: What the samples of a run come to: figures, and the limits that they broke. */

/* Growth of a counter over the run, of all CPUs together. */
struct monitor_counter {
	bool is_known;
	uint64_t total;
	double per_s;
};

struct monitor_summary {
	size_t total_samples, valid_samples;
	double max_imbalance, mean_imbalance;
	uint32_t max_depth;
	double mean_running, mean_depth; /* per CPU and sample */
	size_t stall_count;		 /* CPUs between two samples */
	double seconds;			 /* between the first and the last sample */
	uint64_t max_fallback_burst;	 /* between two samples */
	bool has_fallen;		 /* a counter went back: it counts as not grown */
	struct monitor_counter events[SCX_COUNTERS];
	struct monitor_counter stats[SCHEDSTAT_COUNT];
	struct monitor_counter switches;
};

enum monitor_state {
	MONITOR_OK,
	MONITOR_FAILED,
	MONITOR_NO_SAMPLES,
	MONITOR_NOT_INITIALIZED,
};

#define MONITOR_MAX_DETAILS 16
#define MONITOR_SETTLING 20 /* samples that a longer run is not judged by */

struct monitor_detail {
	const char *field; /* of struct ktstr_assert */
	char text[160];
};

struct monitor_verdict {
	enum monitor_state state;
	struct monitor_detail details[MONITOR_MAX_DETAILS];
	size_t detail_count, violation_count;
};

void monitor_summarize(const struct series *s, struct monitor_summary *out);

/* Holds the samples against the limits; those that are off are not looked at. */
void monitor_judge(const struct series *s, const struct ktstr_assert *limits,
		   struct monitor_verdict *out);

/* "monitor OK", "monitor FAILED: 2 violation(s)", "no monitor samples", ... */
void monitor_add_verdict(const struct monitor_verdict *v, struct str *out);

/* The lines of the block "--- monitor ---". */
void monitor_add_block(const struct series *s, const struct monitor_summary *m,
		       const struct monitor_verdict *v, struct str *out);

/* snapshots.c: When periodic snapshots are due, and a guest that stands still for one. */

#define SNAPSHOTS_MAX 64 /* that a test asks for; the same of writes that are watched */
#define SNAPSHOTS_NEVER UINT64_MAX

/* What a test wants of them. */
struct snapshots_wish {
	uint32_t periodic;
	uint64_t duration_ns;			/* of what the test does */
	bool in_tcg;				/* requests are heard there, too */
	const char *watches[TRACE_MAX_WATCHES]; /* names, see watchpoints.h */
	size_t watch_count;
	const char *const *writes; /* see map_write.h */
	size_t write_count;
	const char *const *invariants; /* see check/invariant.h */
	size_t invariant_count;
};

/* Periodic ones of a run; times are of the clock that the watcher goes by. */
struct snapshots_plan {
	struct snapshots_wish wish;
	bool has_begun;
	uint64_t begin_ns;
	uint32_t taken;
};

/* It is taken now; name: its own, "periodic_000" of the first. */
#define SNAPSHOTS_NAME 32
void snapshots_take(struct snapshots_plan *p, char name[SNAPSHOTS_NAME]);

/*
 * hang.c: A guest in which no CPU takes interrupts any more cannot end by itself, and its kernel's
 * own watchdogs do not run. From outside it is told by jiffies that stand still while vCPUs are
 * busy, and by their registers: those that are busy have interrupts disabled. One whose jiffies
 * stand still because all of it is idle uses no CPU, and one that the host starves uses none,
 * either.
 */

struct hang {
	uint64_t jiffies;
	unsigned int
		changes; /* of them that were seen: before the second the kernel may still boot */
	uint64_t since_ns, since_used_ns; /* both clocks at the last one */
};

/*
 * invariants.c: Invariants of a scheduler, checked against its variables in every sample of its
 * guest.
 */

struct invariants {
	const char *const *texts; /* the caller's */
	size_t count;		  /* INVARIANT_MAX at most */
	bool is_told[INVARIANT_MAX];
	size_t looks; /* at which there was a scheduler with maps */
	/* Lines: what was broken, when first; what could not be judged. */
	struct str broken, unknown;
};

/* packet.c: Packets of gdb's remote protocol: $DATA#CHECKSUM, with acknowledgements between them. */

#define PACKET_MAX 16384 /* bytes of data; longer ones are refused */

enum packet_kind {
	PACKET_NONE,	  /* more bytes are needed */
	PACKET_DATA,	  /* whole and unharmed */
	PACKET_BAD,	  /* of another checksum, or too long */
	PACKET_INTERRUPT, /* ctrl-C between packets */
	PACKET_REFUSED,	  /* what we sent last did not arrive */
};

/* Bytes that have come and are not used yet. */
struct packets {
	struct str bytes;
	size_t at;
};

void packets_add(struct packets *p, const void *bytes, size_t len);

/* Takes the next one out; its data, without escapes, is added to `data`. */
enum packet_kind packets_next(struct packets *p, struct str *data);
void packets_finish(struct packets *p);

/* Appends a packet with this data. */
void packet_add(struct str *out, const char *data, size_t len);

/* A number in hexadecimal, as far as it goes; false = there is none, or it is too large. */
bool packet_take_hex(const char **at, uint64_t *value);

/* This character, which is skipped then. */
bool packet_take(const char **at, char c);

/* Bytes as pairs of digits, and back: false where they are none. */
void packet_add_hex(struct str *out, const void *bytes, size_t len);
bool packet_from_hex(const char *text, struct str *bytes);

/*
 * stub.c: QEMU's gdb stub, on a socket that nobody else has: where no plugin sees writes it sets
 * the processor's watchpoints. While it has any, the guest is told through it to go on, as it
 * speaks of the next stop only then.
 */

struct stub {
	int ours, theirs; /* ends of the socket; -1 = there is none */
	struct packets packets;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	size_t watch_count; /* 0 = the guest is not told to go on through here */
	bool stops_before;  /* arm64: the write follows the stop */
	bool is_held;	    /* the guest has stopped, and we have heard of it */
	bool has_hit;	    /* a write was the reason */
	size_t hit;	    /* to this one of them */
};

#define STUB_NONE ((struct stub){ .ours = -1, .theirs = -1 })

/*
 * watcher.c: Watches a guest while it runs: a sample of its run queues every 100 ms. In sim the
 * code generator's plugin stops the guest at those times of its own clock, so that every run of a
 * seed has the same samples and none of them is in the run; elsewhere the guest goes on. The plugin
 * also stops where the kernel throws a scheduler out, and where the guest asks for it
 * (KTSTR_SNAPSHOT): all queues and tasks of that moment are kept. In tcg it does only the latter,
 * for tests that want snapshots, and the guest is frozen meanwhile. Under kvm there is no plugin:
 * such a test sends a frame over the channel and waits, and the guest is stopped meanwhile.
 *
 * When a limit of the monitor is broken for long enough, or a task has waited for half of the time
 * that the kernel's watchdog gives it, everything is read once more than at the end: an early look
 * at what becomes a failure. A guest that can be told to is then also asked for sched_ext's own
 * dump; one of sim cannot, as its run would be another one than without a watcher.
 */

struct watcher {
	struct vm_watcher vm;
	struct vm_plugin plugin; /* of sim; else it has no option */
	struct str option;
	int ours;	    /* our end of the plugin's socket, or -1 */
	struct stub stub;   /* of kvm, where writes are watched */
	uint64_t frozen_ns; /* since when the guest stands still */
	bool is_exact;	    /* sim: the plugin stops the guest at times of its own */
	uint64_t sample_ns; /* when to look next; of the guest's counter in sim, else of ours */
	uint64_t first_ns;  /* of the guest's counter at the first stop; 0 = there was none */
	bool counts_end;    /* the time is counted from the body's end on */
	struct hang hang;
	struct str hopeless; /* why the guest is not waited for any longer; "" = it is */
	bool waits_for_scx;  /* nothing counts before a sched_ext scheduler is loaded */
	bool is_over;	     /* the body has ended */
	struct watch_layout layout;
	const struct vm_session *session;
	struct vm *guest; /* while it runs */
	struct vm_memory memory;
	struct space space;
	bool has_memory, has_space;
	bool has_exit; /* the kernel threw the scheduler out, and a dump was taken of it */
	struct guest_sample now;
	struct moment_still still;
	pid_t *tids;		  /* threads of the vCPUs; not in sim */
	bool has_tids;		  /* QEMU has told them */
	struct vcpus vcpus;	  /* at the end of a guest without a result */
	struct programs programs; /* at the first sample */
	struct program_follow calls;
	struct series series;
	struct str dump;  /* JSON of the scheduler's exit, or of a guest without a result */
	struct str early; /* the same of a moment before it that looked bad; "" = none did */
	const char *core; /* path of a core file of the same moments, or NULL: none is wanted */
	bool has_core;	  /* it was written */
	struct str core_problem;
	bool has_violation; /* a limit was broken for long enough, and the guest was told so */
	const struct ktstr_assert *limits; /* that are judged meanwhile, or NULL */
	unsigned int looks;		   /* samples since waits were looked at */
	uint64_t stop_ns; /* the guest's counter at the stop that is being served; 0 = none is */
	struct str snapshots;	   /* that the guest asked for: JSON */
	struct bpf_blocks *blocks; /* of BPF programs that are executed, or NULL */
	/*
	 * Somebody else who is shown the guest while it stands still, or NULL: m is the moment of
	 * the dump, and NULL when a scheduler is seen for the first time.
	 */
	void (*show)(void *ctx, struct space *space, const struct moment *m);
	void *show_ctx;
	bool has_shown;
	size_t snapshot_count; /* that were asked for */
	struct snapshots_plan plan;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	bool has_begun;	     /* the body: what the wish names has been looked for */
	struct str problems; /* what of the wish could not be met: "attribute: why" lines */
	size_t write_count;  /* that were seen */
	struct invariants invariants;
	const char *vmlinux, *scheduler; /* files of the host, or NULL */
	struct known_types known;
	const char *name; /* of what runs, for those who look for it; or NULL */
	int notice;	  /* see notice_post(); -1 = none */
};

/*
 * Prepares to watch the session's guest and enters itself there. A guest that cannot be watched
 * is run all the same: series.problem says why. blocks: to be filled in sim, or NULL. wish: NULL =
 * no periodic snapshots, and none in tcg.
 */
void watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
		  bool waits_for_scx, struct bpf_blocks *blocks, const struct snapshots_wish *wish);

/* What the guest says tells when its body is over, and under kvm what the body wants to be seen. */
void watcher_hear(struct watcher *w, const struct channel_frame *frame);

void watcher_close(struct watcher *w);

/*
 * notice.c: How another process of the same user finds a guest that runs: whoever runs it keeps a
 * memory file open that says where QEMU has the guest's memory, and which kernel it runs. It is
 * found in /proc, so there is no directory to agree on, nothing that others could have put there,
 * and nothing is left when the process ends, however it does.
 */

#define NOTICE_NAME 128

struct notice {
	char magic[16], version[16];
	uint32_t bytes; /* of this struct */
	uint32_t cpu_count;
	char name[NOTICE_NAME]; /* of what runs: a test, or "shell" */
	struct vm_memory memory;
	char kernel[PATH_MAX], vmlinux[PATH_MAX];
	uint32_t has_layout; /* or else it is read from these files by whoever needs it */
	struct watch_layout layout;
};

struct notices {
	VEC(struct notice) items; /* by the pid of QEMU */
	size_t strange;		  /* of other versions of this program */
};

/*
 * announce.c: a guest that is not sampled has a notice, too. Enters itself in the session; without
 * effect where the guest has no memory that can be read.
 */
struct announcement {
	struct vm_watcher vm;
	struct notice notice;
	int fd;
};

void announcement_open(struct announcement *a, struct vm_session *session, const char *name,
		       const char *vmlinux);
void announcement_close(struct announcement *a);

/* Those of processes that belong to the caller's user. */
int notices_find(struct notices *n, const char *proc);
void notices_finish(struct notices *n);

/*
 * The one that is meant: by the pid of QEMU or by name, with or without what stands before its last
 * '/'; NULL = the only one there is. -ENOENT and -EINVAL with a message that tells what there is.
 */
int notices_choose(const struct notices *n, const char *wanted, const struct notice **out);

/*
 * top.c: A guest that runs, looked at again and again: its CPUs, queues, tasks, events and programs
 * as text. Only its memory is read: it notices nothing, and need not be able to answer.
 */

enum top_section { TOP_CPUS, TOP_QUEUES, TOP_TASKS, TOP_EVENTS, TOP_PROGRAMS, TOP_SECTIONS };

enum top_sort { TOP_BY_WAIT, TOP_BY_CPU, TOP_BY_DSQ, TOP_BY_VTIME, TOP_BY_PID, TOP_SORTS };

extern const char *const top_section_names[TOP_SECTIONS + 1]; /* "cpus", ...; the last is "all" */
extern const char *const top_sort_names[TOP_SORTS];

struct top_rows {
	VEC(size_t) items;
};

struct top {
	struct notice notice;
	struct space space;
	bool has_space;
	struct guest_sample now, before; /* before: without CPUs that are known at first */
	uint64_t *moved_ns; /* by CPU: host's clock when that of its queue moved last */
	uint64_t host_ns;
	struct moment moment;
	struct moment_parts parts;
	struct programs old_programs;
	struct top_rows rows[TOP_SECTIONS]; /* what is shown, and in which order */
	enum top_sort sort;
};

int top_open(struct top *t, const struct notice *notice);
void top_close(struct top *t);

/*
 * -ESRCH with a message when the guest has ended, -EPERM when it may not be looked at, -EAGAIN when
 * its kernel has not begun.
 */
int top_read(struct top *t, uint64_t host_ns);

void top_set_sort(struct top *t, enum top_sort sort);

/* Appends one section, or all (TOP_SECTIONS), in that many lines at most; 0 = no limit. */
int top_add_text(const struct top *t, enum top_section section, size_t lines, struct str *out);

/* Appends a file of snapshots with this moment, maps and all. */
int top_dump(struct top *t, struct str *out);

/*
 * dump_text.c: Failure dumps and snapshots for a person: the failure text and `ktstr show-dump`
 * print what the file says. Files may come from anywhere, and names in them are the guest's own:
 * each is printed on its line, without control characters.
 */

/* How much is shown of what may be long. */
struct dump_limits {
	size_t tasks;	  /* of a queue */
	size_t values;	  /* of a map */
	size_t variables; /* of a section of a program */
	size_t columns;	  /* of one value, more or less */
	size_t bytes;	  /* of all maps, more or less */
};

extern const struct dump_limits dump_brief, dump_whole;

/* Parts of a dump by their titles, in the order of the failure text; nothing = it has none. */
struct dump_section {
	const char *title;
	bool is_detail; /* too much for the failure text */
	void (*add)(const struct json_node *dump, const struct dump_limits *limits,
		    struct str *out);
};

extern const struct dump_section dump_sections[8];

/*
 * One map with all that it holds, by its name or the end of it (".bss"). -ENOENT with a message
 * that lists the maps that there are.
 */
int dump_add_map(const struct json_node *dump, const char *name, struct str *out);

/* A runnable task, and what maps hold of it. -ENOENT with a message that lists the tasks. */
int dump_add_task(const struct json_node *dump, uint64_t pid, struct str *out);

/* A string of the guest's; a number or whatever else has no parts. */
void dump_add_string(struct str *out, const char *s);
void dump_add_plain(const struct json_node *node, struct str *out);

#endif
