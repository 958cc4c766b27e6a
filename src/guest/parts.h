/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of PID 1 share: for the files of this room only. */
#ifndef KTSTR_GUEST_PARTS_H
#define KTSTR_GUEST_PARTS_H

#include "channel/channel.h"
#include "host/topology.h"

/* life.c: The order of events in a guest's life; main() calls it and nothing else does. */

void guest_live(void) __attribute__((noreturn));

/* settings.c: The words that the host has for this guest, from wherever they came (protocol.h). */

struct settings {
	struct str text; /* NAME=VALUE, a line each; the first of a name counts */
};

/* Reads the files below root and root/proc/cmdline anew. A file that is absent is empty. */
int settings_read(struct settings *s, const char *root);

/* The value, up to the end of its line: copied into out, cut when too long. NULL = not set. */
const char *settings_get(const struct settings *s, const char *name, char *out, size_t size);
bool settings_is_set(const struct settings *s, const char *name); /* to 1 */

/*
 * report.c: How PID 1 speaks: frames on the channel, lines on the serial ports. One per
 * process, because a signal handler has to find it.
 */

struct guest_report {
	int console; /* COM1, the kernel's; -1 = not open */
	int control; /* COM2, ours; -1 = not open */
	struct channel_writer channel;
	uint64_t lost_bytes; /* of output */
};

extern struct guest_report report;

/* Opens the ports, once /dev is there. Works without them, but then nobody hears. */
void report_open(void);

/* Finds the ivshmem function, switches it on and maps it. -ENODEV: there is none. */
int report_open_channel(void);
bool report_has_channel(void);

/* A line of its own on COM2. */
void report_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A remark for whoever looks into a run: a LOGL frame, or a line on COM1. */
void report_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Remarks of a guest that will be saved are heard by nobody: they are kept, and sent by the
 * second call, in the run.
 */
void report_keep_logs(void);
void report_send_logs(void);

/* A program's output: frames, or plain bytes on COM2. */
void report_output(uint32_t type, const void *data, size_t len);

/*
 * Whether that much more of one kind may be sent. A ring that nobody drains has to
 * keep room for what comes after: a kind has 1/part of it, *sent is what it has used.
 */
bool report_has_room(uint64_t *sent, size_t len, unsigned int part);

/* What one text may have of such a ring; the rest of it is for what comes after. */
size_t report_free(void);

/* A text of any length in as many frames as it takes; they follow each other. */
void report_pieces(uint32_t type, const struct str *text);

/* How much of it had no room, if any. */
void report_lost_output(void);

/* What a test program wrote about itself, or len 0: a frame, or between two marks on COM2. */
void report_result(const char *text, size_t len);

/* The last words of PID 1 everywhere, then the end of the guest. */
void report_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* From a signal handler: text without formatting. */
void report_crash(const char *text, size_t len);

/* Waits until the serial ports have sent what was written to them. */
void report_drain(void);

/* Waits until the serial ports are empty, then ends the guest. */
void report_reboot(void) __attribute__((noreturn));

/* requests.c: What the host asks of a running guest, by bytes in the channel's header. */

#define REQUESTS_PERIOD_MS 50
#define REQUESTS_SYSRQ "/proc/sysrq-trigger"

/* Whether anybody can ask: never in sim, where the host writes nothing to a running guest. */
bool requests_are_possible(const struct channel_header *h);

/*
 * Does what was asked and clears it. Returns whether what runs shall end. The two
 * files are GUEST_STALL_FILE and the kernel's sysrq-trigger.
 */
struct requests_files {
	const char *stall, *sysrq;
};
bool requests_serve(struct channel_header *h, const struct requests_files *files);

/* run.c: Running one program to its end, with its output going to the host as it comes. */

/*
 * Sets what programs find in their environment: PATH, HOME, libraries, and the
 * NAME=VALUE lines of a file.
 */
struct run_environment {
	const char *program_dirs; /* for PATH, before the usual ones; "" = none */
	const char *library_path; /* or NULL */
	const char *term;	  /* or NULL */
	const char *colorterm;	  /* or NULL */
	const char *lines;	  /* or NULL */
};
void run_set_environment(const struct run_environment *e);

/*
 * Runs the program with stdin from /dev/null and both outputs as frames. Returns
 * its exit status (128 + signal when killed, 127 when it cannot be run). PID 1
 * reaps whatever else ends meanwhile. What background children still write after
 * the program's end is not waited for.
 */
int run_program(char *const argv[]);

/* Somebody who looks on meanwhile; init has one thread, so he is asked in turn. */
struct pollfd;
struct run_watcher {
	void *ctx;
	size_t (*add_fds)(void *ctx, struct pollfd *fds, size_t max); /* worth waking up for */
	void (*reaped)(void *ctx, int pid, int status);		      /* any other child */
	void (*look)(void *ctx, int payload); /* after every event, at least each period */
	int period_ms;
};
#define RUN_MAX_WATCHED 4
int run_program_watched(char *const argv[], const struct run_watcher *watcher);

/* Programs that are started from now on have so long; 0 = for ever. See GUEST_LIMIT_S. */
void run_set_limit(uint64_t limit_ns);

/* Waits for this child, reaping all others. Its status as above. */
int run_wait(int pid);

/* Reaps all that have ended, without waiting; whether this child was among them. */
bool run_has_ended(int pid, int *exit_status);

/*
 * probes.c: BPF probes of a second run. Attached to the kernel before the scheduler is started, and
 * to its programs while it runs; what they saw is sent at the end.
 */
void probes_start(const char *functions);
void probes_wait(void); /* until the scheduler's programs have them, within limits */
void probes_finish(void);

/* mounts.c: File systems of the guest and the links that programs expect in /dev. */

/* /dev alone: until it is there nothing can be told to anybody. Negative errno. */
int mounts_make_dev(void);

/* /proc, where the settings are; then all others. One that is required and fails ends the guest. */
void mounts_make_proc(void);
void mounts_make_rest(void);

/* Appends the mount points that exist, blanks between them. */
void mounts_list(struct str *out);

/* disk.c: The disk of --disk, whatever bus it is on. */

/*
 * Makes /dev/vda name the disk: loads its driver where that came as a module. Kernels for which
 * there is none get an NVMe, and a link. Waits a little, because drivers probe on their own.
 */
void disk_make(void);

/*
 * unpack.c: Unpacks a newc archive that came through the channel, as the kernel does with an
 * initramfs.
 */

/*
 * Below root ("" for the guest itself). Directories, regular files and symbolic
 * links; what is there already is replaced. -EINVAL with a message when the
 * archive is damaged or an entry would leave root.
 */
int unpack_newc(const char *root, const void *data, size_t len);

/*
 * include_path.c: What was put below /include-files: which files, and which directories
 * belong into PATH.
 */

struct include_path {
	struct str files;	/* paths, a line each, in order */
	struct str directories; /* those that hold a program, ':' between them */
};

/* Walks the directory; that there is none is not an error. */
void include_path_scan(struct include_path *p, const char *directory);

/*
 * kernel_config.c: The kernel's configuration, where loaders of BPF programs look for it.
 *
 * A configuration that the host derived from an image lacks the numbers that no
 * type tells. The running kernel tells them exactly: the resolution of its coarse
 * clocks is one tick, and sysfs has the largest CPU number that it can have.
 */

/*
 * Completes GUEST_CONFIG below root and gives it the name of the running kernel.
 * Negative errno; -ENOENT: there is none.
 */
int kernel_config_place(const char *root);

/* topology_check.c: Whether the guest's kernel sees the machine that was asked for. */

struct topology_shape {
	unsigned int nodes, llcs, cores, threads; /* LLCs in total, cores per LLC */
};

/* "n,l,c,t"; -EINVAL with a message. */
int topology_shape_parse(const char *text, struct topology_shape *out);

/*
 * 0, or -EPROTO with the first difference as the message. nodes is a list of
 * LLCS:MIB separated by commas; NULL = all nodes are alike. distances is a
 * matrix by rows, numbers separated by commas; NULL = 10 within a node, 20 between.
 */
int topology_check(const struct topology *t, const struct topology_shape *want, const char *nodes,
		   const char *distances);

/* Whether sysfs shows no L3 cache, as in emulated aarch64 guests: clusters stand in for them. */
bool topology_lacks_caches(const struct topology *t);

/*
 * LLCs by their clusters. 0, -EPROTO with the first difference, or -ENODATA when sysfs
 * shows no clusters either.
 */
int topology_check_clusters(const struct topology *t, const struct topology_shape *want,
			    const struct roots *roots);

/* shell.c: The interactive shell: its greeting and its terminal. */

struct shell_facts {
	const char *kernel;
	unsigned long memory_mib;
	struct topology_shape shape;
	const char *includes; /* paths, a line each */
	unsigned int applets;
	const char *mounts;
};

void shell_add_banner(const struct shell_facts *facts, struct str *out);

struct shell_terminal {
	unsigned int columns, rows; /* 0 = unknown */
};

/*
 * Greets, and runs a shell with the port as its controlling terminal, so that
 * Ctrl-C and job control work. Returns the shell's exit status.
 */
int shell_run(const char *banner, const struct shell_terminal *t);

/* seed.c: What a seed changes in a run: the guest's random numbers and where in time it begins. */

/* The next word of a sequence that looks random; state is moved on. */
uint64_t seed_next(uint64_t *state);

/* Feeds the kernel's random pool and waits a short, seed-given time. */
void seed_apply(uint64_t seed);

/*
 * wake_delay.c: Wakeups that take longer: between the moment that somebody decides to wake a task
 * and the moment that a scheduler hears of it. Which ones, and how much longer, is a
 * function of the seed alone. It is done in the kernel, before any scheduler is asked,
 * so it hits every task under each of them.
 */

#define WAKE_DELAY_ONE_IN 8 /* wakeups */
#define WAKE_DELAY_MAX_US 100000

/*
 * From now on, for as long as this process lives, one wakeup in eight takes up to so
 * much longer. -EINVAL for more than WAKE_DELAY_MAX_US; else what the kernel refused.
 */
int wake_delay_start(uint64_t seed, uint32_t longest_us);

/* crash.c: What happens when PID 1 itself fails: its reason goes out before the guest ends. */

void crash_install(void);

/* profiles.c: Raw profiles that instrumented programs left in GUEST_PROFILE_DIR. */

/* A CHANNEL_COVERAGE frame for each, after the last program has ended. */
void profiles_send(void);

/*
 * observe.c: The observer of scheduling events in a guest. Loading takes a while, so it is done
 * once, before a template is saved; it counts while a payload runs. What keeps it from
 * that is told to the payload in GUEST_OBSERVE_PROBLEM.
 */

void observe_load(void);
void observe_start(void);

/* spin.c: The smallest workload: does every CPU get its tasks run? */

/* GUEST_SPIN of protocol.h: the exit status of the payload. */
int spin_run(const char *milliseconds);

#endif
