/* SPDX-License-Identifier: GPL-2.0-only */
/* Monitoring of a running guest, the collected data, and their presentation. */
#ifndef KTSTR_WATCH_WATCH_H
#define KTSTR_WATCH_WATCH_H

#include "base/json_tree.h"
#include "check/check.h"
#include "check/invariant.h"
#include "vm/engine.h"
#include "vm/session.h"
#include "watch/cover.h"
#include "watch/maps.h"

/*
 * moment.c: run queues, DSQs, tasks, maps and programs at one moment, read from the guest and as
 * JSON.
 */

/*
 * Run queue clocks stand still in a guest that hangs with interrupts disabled, or idles. Records
 * since when, on a clock that keeps running, as far as samples show it. All 0 = nothing seen yet.
 */
struct moment_still {
	uint64_t clock_ns, since_ns;
};

struct moment {
	const char *trigger;	    /* "scheduler exit", "on demand" */
	uint64_t tag;		    /* of a snapshot on demand */
	const char *name;	    /* NULL = identified by the tag */
	struct moment_still *still; /* state from earlier samples, updated; or NULL */
	uint64_t outer_ns;	    /* clock that keeps running; 0 = unknown */
	uint64_t now_ns;	    /* guest clock, plus the time it stood still */
	const struct guest_sample *sample;
	const struct queues *queues;
	const struct domains *domains; /* or NULL */
	const struct maps *maps;       /* both NULL: they are elsewhere in the file */
	const struct programs *programs;
	struct space *space;		 /* for following pointers in maps */
	const struct chase_types *types; /* likewise; NULL = only the types of the maps */
	const struct vcpus *vcpus;	 /* for a dump; empty = QEMU was not queried */
	uint64_t unreadable;
};

/* Data of a moment besides its sample. */
struct moment_parts {
	struct queues queues;
	struct domains domains; /* read together with maps */
	struct maps maps;
	struct programs programs;
};

/*
 * Takes the sample and reads the rest; no maps without has_maps. -ENODATA if no CPU can be read.
 * The parts must be finished in any case.
 */
int moment_read(struct moment *m, struct moment_parts *parts, struct guest_sample *sample,
		struct space *space, bool has_maps);
void moment_parts_finish(struct moment_parts *parts);

/* Guest clock: the latest clock of all run queues. */
uint64_t moment_clock(const struct guest_sample *sample);
/* The same plus the time that it has stood still; updates *s. */
uint64_t moment_still_clock(struct moment_still *s, const struct guest_sample *sample,
			    uint64_t outer_ns);

/*
 * Writes maps and programs as members of the current JSON object. The guest must still be stopped.
 */
void moment_put_bpf(const struct moment *s, struct json *j);
/*
 * Likewise: an array of snapshots with this one only, with its maps, programs and vCPUs beside it.
 */
void moment_put_alone(const struct moment *s, struct json *j);

/*
 * series.c: the samples of a run, and their transfer from the process that took them to the one
 * that judges.
 */

#define SERIES_PERIOD_NS 100000000ULL
#define SERIES_BUDGET_NS (10 * NSEC_PER_MSEC)
#define SERIES_MAX_SAMPLES 36000 /* an hour */
#define SERIES_PROBLEM 160

/*
 * A BPF program of the scheduler, with its calls and run time between the first and the last
 * sample.
 */
struct series_program {
	char name[PROGRAMS_NAME + 1];
	uint64_t calls, ns;
};

struct series {
	size_t cpu_count;
	bool is_exact; /* taken at stops in sim: not affected by the host */
	VEC(struct guest_sample) samples;
	VEC(struct series_program) programs; /* those whose calls are counted */
	uint64_t unreadable;		     /* number of failed reads */
	uint64_t left_out;		     /* samples dropped for lack of room */
	uint64_t overruns;		     /* samples that took longer than SERIES_BUDGET_NS */
	char problem[SERIES_PROBLEM];	     /* why the guest was not monitored; "" = it was */
};

/* Appends a copy with its own array of CPUs. */
int series_add(struct series *s, const struct guest_sample *sample);
void series_finish(struct series *s);

/* Serializes for another process of this program, and back. -EINVAL for invalid data. */
int series_encode(const struct series *s, struct str *out);
int series_decode(struct series *s, const char *data, size_t len);

/* monitor.c: summary of the samples of a run, and violated thresholds. */

/* Increase of a counter during the run, summed over all CPUs. */
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
	size_t stall_count;		 /* intervals between samples, counted per CPU */
	double seconds;			 /* between the first and the last sample */
	uint64_t max_fallback_burst;	 /* between two samples */
	bool has_fallen;		 /* a counter decreased: counted as no increase */
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
#define MONITOR_SETTLING 20 /* first samples, ignored in longer runs */

struct monitor_detail {
	const char *field; /* name of the field in struct ktstr_assert */
	char text[160];
};

struct monitor_verdict {
	enum monitor_state state;
	struct monitor_detail details[MONITOR_MAX_DETAILS];
	size_t detail_count, violation_count;
};

void monitor_summarize(const struct series *s, struct monitor_summary *out);

/* Checks the samples against the thresholds; disabled ones are ignored. */
void monitor_judge(const struct series *s, const struct ktstr_assert *limits,
		   struct monitor_verdict *out);

/* "monitor OK", "monitor FAILED: 2 violation(s)", "no monitor samples", ... */
void monitor_add_verdict(const struct monitor_verdict *v, struct str *out);

/* Appends the lines of the section "--- monitor ---". */
void monitor_add_block(const struct series *s, const struct monitor_summary *m,
		       const struct monitor_verdict *v, struct str *out);

/* snapshots.c: schedule of periodic snapshots, and stopping the guest for one. */

#define SNAPSHOTS_MAX 64 /* requested by a test; also limits those by watchpoints */
#define SNAPSHOTS_NEVER UINT64_MAX

/* Snapshots and related requests of a test. */
struct snapshots_wish {
	uint32_t periodic;
	uint64_t duration_ns;			/* of the test's work */
	bool in_tcg;				/* serve requests in tcg, too */
	const char *watches[TRACE_MAX_WATCHES]; /* names, see watchpoint_find() */
	size_t watch_count;
	const char *const *writes; /* see map_write() */
	size_t write_count;
	const char *const *invariants; /* see check/invariant.h */
	size_t invariant_count;
};

/* Schedule of periodic snapshots; times are on the watcher's clock. */
struct snapshots_plan {
	struct snapshots_wish wish;
	bool has_begun;
	uint64_t begin_ns;
	uint32_t taken;
};

/* Counts a snapshot as taken; name: "periodic_000" for the first. */
#define SNAPSHOTS_NAME 32
void snapshots_take(struct snapshots_plan *p, char name[SNAPSHOTS_NAME]);

/*
 * hang.c: detects hangs. A guest in which no CPU handles interrupts cannot end by itself, and its
 * kernel's watchdogs do not run. It is recognized by jiffies that stand still while vCPUs are busy,
 * and by the registers: all busy vCPUs have interrupts disabled. If the guest is idle or starved by
 * the host, its vCPUs use no CPU time.
 */

struct hang {
	uint64_t jiffies;
	unsigned int
		changes; /* of them that were seen: before the second the kernel may still boot */
	uint64_t since_ns, since_used_ns; /* both clocks at the last change */
};

/* invariants.c: checks the invariants of a scheduler against its variables in every sample. */

struct invariants {
	const char *const *texts; /* owned by the caller */
	size_t count;		  /* INVARIANT_MAX at most */
	bool is_told[INVARIANT_MAX];
	size_t looks; /* number of checks with a scheduler and maps */
	/* Lines: violations with the time of the first; invariants that could not be evaluated. */
	struct str broken, unknown;
};

/* packet.c: packets of gdb's remote protocol: $DATA#CHECKSUM, with acknowledgements. */

#define PACKET_MAX 16384 /* bytes of data; longer packets are rejected */

enum packet_kind {
	PACKET_NONE,	  /* incomplete */
	PACKET_DATA,	  /* complete and valid */
	PACKET_BAD,	  /* wrong checksum, or too long */
	PACKET_INTERRUPT, /* Ctrl-C between packets */
	PACKET_REFUSED,	  /* negative acknowledgement of our last packet */
};

/* Received data that was not processed yet. */
struct packets {
	struct str bytes;
	size_t at;
};

void packets_add(struct packets *p, const void *bytes, size_t len);

/* Removes the next packet; appends its unescaped data to `data`. */
enum packet_kind packets_next(struct packets *p, struct str *data);
void packets_finish(struct packets *p);

/* Appends a packet with this data. */
void packet_add(struct str *out, const char *data, size_t len);

/* Parses a hexadecimal number at *at; false = none, or too large. */
bool packet_take_hex(const char **at, uint64_t *value);

/* If the next character is c, skips it and returns true. */
bool packet_take(const char **at, char c);

/* Data as pairs of hex digits, and back: false if they are invalid. */
void packet_add_hex(struct str *out, const void *bytes, size_t len);
bool packet_from_hex(const char *text, struct str *bytes);

/*
 * stub.c: client of QEMU's gdb stub, on a private socket. If no plugin can see writes, it sets
 * hardware watchpoints. While there are any, the guest has to be resumed through the stub: it
 * reports the next stop only then.
 */

struct stub {
	int ours, theirs; /* ends of the socket; -1 = none */
	struct packets packets;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	size_t watch_count; /* 0 = the guest is not resumed through the stub */
	bool stops_before;  /* arm64: stops before the write */
	bool is_held;	    /* the guest has stopped, and the stub has reported it */
	bool has_hit;	    /* stopped by a watchpoint */
	size_t hit;	    /* index of that watchpoint */
};

#define STUB_NONE ((struct stub){ .ours = -1, .theirs = -1 })

/*
 * watcher.c: monitors a running guest: takes a sample of its run queues every 100 ms. In sim the
 * TCG plugin stops the guest at these times of its own clock, so that every run of a seed has the
 * same samples and they do not affect the run; elsewhere the guest keeps running. The plugin also
 * stops where the kernel ejects a scheduler, and where the guest requests it (KTSTR_SNAPSHOT): then
 * all queues and tasks are recorded. In tcg it does only the latter, for tests with snapshots, and
 * the guest is frozen meanwhile. Under kvm there is no plugin: such a test sends a frame over the
 * channel and waits, and the guest is stopped meanwhile.
 *
 * If a threshold of the monitor is violated for long enough, or a task has waited for half of the
 * kernel's watchdog timeout, an additional early dump is taken, before the failure. A guest that
 * accepts requests is then also asked for sched_ext's own dump; not in sim, where this would change
 * the run.
 */

struct watcher {
	struct vm_watcher vm;
	struct vm_plugin plugin; /* for sim; else without option */
	struct str option;
	int ours;	    /* our end of the plugin's socket, or -1 */
	struct stub stub;   /* for kvm, if writes are watched */
	uint64_t frozen_ns; /* host clock when the guest was stopped */
	bool is_exact;	    /* sim: the plugin stops the guest at its own times */
	uint64_t sample_ns; /* time of the next sample: guest counter in sim, else our clock */
	uint64_t first_ns;  /* guest counter at the first stop; 0 = none yet */
	bool counts_end;    /* counting time since the end of the body */
	struct hang hang;
	struct str hopeless; /* why waiting for the guest is pointless; "" = it is not */
	bool waits_for_scx;  /* ignore samples before a sched_ext scheduler is loaded */
	bool is_over;	     /* the body has ended */
	struct watch_layout layout;
	const struct vm_session *session;
	struct vm *guest; /* while it runs */
	struct vm_memory memory;
	struct space space;
	bool has_memory, has_space;
	bool has_exit; /* the kernel ejected the scheduler, and a dump was taken */
	struct guest_sample now;
	struct moment_still still;
	pid_t *tids;		  /* vCPU threads; not in sim */
	bool has_tids;		  /* QEMU has reported them */
	struct vcpus vcpus;	  /* at the end of a guest without a result */
	struct programs programs; /* at the first sample */
	struct program_follow calls;
	struct series series;
	struct str dump;  /* JSON: at the scheduler's exit, or of a guest without a result */
	struct str early; /* JSON: at an earlier moment that looked bad; "" = none */
	const char *core; /* path for a core file of the same moments; NULL = not requested */
	bool has_core;	  /* it was written */
	struct str core_problem;
	bool has_violation; /* a violation lasted long enough, and the guest was notified */
	const struct ktstr_assert *limits; /* thresholds to check during the run, or NULL */
	unsigned int looks;		   /* samples since wait times were checked */
	uint64_t stop_ns;		   /* guest counter at the current stop; 0 = none */
	struct str snapshots;		   /* requested by the guest: JSON */
	struct bpf_blocks *blocks;	   /* for coverage of BPF programs, or NULL */
	/*
	 * Callback with the stopped guest, or NULL: m is the moment of the dump, or NULL when a
	 * scheduler is seen for the first time.
	 */
	void (*show)(void *ctx, struct space *space, const struct moment *m);
	void *show_ctx;
	bool has_shown;
	size_t snapshot_count; /* requested */
	struct snapshots_plan plan;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	bool has_begun;	     /* the body has begun: requests have been carried out */
	struct str problems; /* requests that failed, lines "attribute: why" */
	size_t write_count;  /* number of writes seen */
	struct invariants invariants;
	const char *vmlinux, *scheduler; /* files on the host, or NULL */
	struct known_types known;
	const char *name; /* name of what runs, for notices; or NULL */
	int notice;	  /* see notice_post(); -1 = none */
};

/*
 * Prepares to monitor the session's guest and registers as its watcher. A guest that cannot be
 * monitored is run all the same: series.problem says why. blocks: filled in sim, or NULL. wish:
 * NULL = no periodic snapshots, and none in tcg.
 */
void watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
		  bool waits_for_scx, struct bpf_blocks *blocks, const struct snapshots_wish *wish);

/* Processes a frame of the guest: detects the end of the body, and under kvm snapshot requests. */
void watcher_hear(struct watcher *w, const struct channel_frame *frame);

void watcher_close(struct watcher *w);

/*
 * notice.c: lets other processes of the same user find a running guest: the process that runs it
 * keeps a memory file open that says where QEMU has the guest's memory, and which kernel it runs.
 * It is found through /proc, so no directory is needed that others could write to, and nothing is
 * left behind when the process ends.
 */

#define NOTICE_NAME 128

struct notice {
	char magic[16], version[16];
	uint32_t bytes; /* size of this struct */
	uint32_t cpu_count;
	char name[NOTICE_NAME]; /* name of what runs: a test, or "shell" */
	struct vm_memory memory;
	char kernel[PATH_MAX], vmlinux[PATH_MAX];
	uint32_t has_layout; /* else readers get it from these files */
	struct watch_layout layout;
};

struct notices {
	VEC(struct notice) items; /* ordered by the PID of QEMU */
	size_t strange;		  /* number of notices of other versions of ktstr */
};

/*
 * announce.c: posts a notice for a guest that is not sampled. Registers as the session's watcher;
 * no effect if the guest's memory cannot be read.
 */
struct announcement {
	struct vm_watcher vm;
	struct notice notice;
	int fd;
};

void announcement_open(struct announcement *a, struct vm_session *session, const char *name,
		       const char *vmlinux);
void announcement_close(struct announcement *a);

/* Finds the notices of processes of the calling user. */
int notices_find(struct notices *n, const char *proc);
void notices_finish(struct notices *n);

/*
 * Selects one by PID of QEMU or by name, with or without the part before its last '/'; NULL = the
 * only one. -ENOENT and -EINVAL with a message that lists the guests.
 */
int notices_choose(const struct notices *n, const char *wanted, const struct notice **out);

/*
 * top.c: repeatedly reads a running guest: its CPUs, queues, tasks, events and programs as text. It
 * only reads memory: the guest does not notice it, and need not respond.
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
	struct guest_sample now, before; /* before: at first no CPU is known */
	uint64_t *moved_ns; /* by CPU: host clock when the run queue's clock last moved */
	uint64_t host_ns;
	struct moment moment;
	struct moment_parts parts;
	struct programs old_programs;
	struct top_rows rows[TOP_SECTIONS]; /* shown rows in their order */
	enum top_sort sort;
};

int top_open(struct top *t, const struct notice *notice);
void top_close(struct top *t);

/*
 * -ESRCH with a message if the guest has ended, -EPERM without permission, -EAGAIN if its kernel
 * has not started yet.
 */
int top_read(struct top *t, uint64_t host_ns);

void top_set_sort(struct top *t, enum top_sort sort);

/* Appends one section, or all (TOP_SECTIONS), in at most that many lines; 0 = no limit. */
int top_add_text(const struct top *t, enum top_section section, size_t lines, struct str *out);

/* Appends a snapshot file with this moment, including maps. */
int top_dump(struct top *t, struct str *out);

/*
 * dump_text.c: failure dumps and snapshots as text, for the failure text and `ktstr show-dump`.
 * Files may come from anywhere, and names in them come from the guest: control characters are
 * escaped.
 */

/* Limits of the output. */
struct dump_limits {
	size_t tasks;	  /* per queue */
	size_t values;	  /* per map */
	size_t variables; /* per section of a program */
	size_t columns;	  /* per value, approximately */
	size_t bytes;	  /* for all maps, approximately */
};

extern const struct dump_limits dump_brief, dump_whole;

/* Sections of a dump by title, in the order of the failure text; add() appends nothing if empty. */
struct dump_section {
	const char *title;
	bool is_detail; /* too long for the failure text */
	void (*add)(const struct json_node *dump, const struct dump_limits *limits,
		    struct str *out);
};

extern const struct dump_section dump_sections[8];

/*
 * Appends one map with all its contents, by its name or the end of it (".bss"). -ENOENT with a
 * message that lists the maps.
 */
int dump_add_map(const struct json_node *dump, const char *name, struct str *out);

/* Appends a runnable task and its entries in maps. -ENOENT with a message that lists the tasks. */
int dump_add_task(const struct json_node *dump, uint64_t pid, struct str *out);

/* Appends a string of the guest, escaped; and any scalar node. */
void dump_add_string(struct str *out, const char *s);
void dump_add_plain(const struct json_node *node, struct str *out);

#endif
