/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of PID 1, for the files of this directory only. */
#ifndef KTSTR_GUEST_PARTS_H
#define KTSTR_GUEST_PARTS_H

#include "channel/channel.h"
#include "host/topology.h"

/* life.c: the life of a guest; called by main() only. */

void guest_live(void) __attribute__((noreturn));

/* settings.c: the host's settings for this guest, from all sources (protocol.h). */

struct settings {
	struct str text; /* NAME=VALUE lines; the first of a name counts */
};

/* Reads the files below root and root/proc/cmdline again. A missing file is empty. */
int settings_read(struct settings *s, const char *root);

/* Copies the value into out, truncated if too long. Returns NULL if it is not set. */
const char *settings_get(const struct settings *s, const char *name, char *out, size_t size);
bool settings_is_set(const struct settings *s, const char *name); /* is set to 1 */

/*
 * report.c: output of PID 1: frames on the channel, lines on the serial ports. A global,
 * because a signal handler has to find it.
 */

struct guest_report {
	int console; /* COM1, the kernel's; -1 = not open */
	int control; /* COM2, for ktstr; -1 = not open */
	struct channel_writer channel;
	uint64_t lost_bytes; /* of output that had no room */
};

extern struct guest_report report;

/* Opens the ports once /dev exists. Without them, output is lost. */
void report_open(void);

/* Finds the ivshmem device, enables it and maps it. Returns -ENODEV if there is none. */
int report_open_channel(void);
bool report_has_channel(void);

/* Writes a line on COM2. */
void report_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes a message for the analysis of the run: a LOGL frame, or a line on COM1. */
void report_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Remarks of a guest that will be saved would be lost. report_keep_logs() keeps them;
 * report_send_logs() sends them in the run.
 */
void report_keep_logs(void);
void report_send_logs(void);

/* Sends a program's output as frames, or as plain bytes on COM2. */
void report_output(uint32_t type, const void *data, size_t len);

/*
 * Returns true if len more bytes of one kind may be sent. A ring that is not drained must
 * keep room for what follows: a kind may use 1/part of it; *sent counts what it has used.
 */
bool report_has_room(uint64_t *sent, size_t len, unsigned int part);

/* How much of such a ring one text may use; the rest is for what follows. */
size_t report_free(void);

/* Sends a text of any length in consecutive frames. */
void report_pieces(uint32_t type, const struct str *text);

/* Reports how much output was lost, if any. */
void report_lost_output(void);

/* Sends what a test program wrote about itself (len 0 = nothing): a frame, or marked on COM2. */
void report_result(const char *text, size_t len);

/* Writes the error to all outputs, then ends the guest. */
void report_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* For signal handlers: writes text without formatting. */
void report_crash(const char *text, size_t len);

/* Waits until the serial ports have sent what was written to them. */
void report_drain(void);

/* Waits until the serial ports are empty, then ends the guest. */
void report_reboot(void) __attribute__((noreturn));

/* requests.c: requests of the host to a running guest, as bytes in the channel's header. */

#define REQUESTS_PERIOD_MS 50
#define REQUESTS_SYSRQ "/proc/sysrq-trigger"

/* False in the simulator, where the host never writes to a running guest. */
bool requests_are_possible(const struct channel_header *h);

/*
 * Serves and clears the requests. Returns true if the payload has to end. The two files are
 * GUEST_STALL_FILE and the kernel's sysrq-trigger.
 */
struct requests_files {
	const char *stall, *sysrq;
};
bool requests_serve(struct channel_header *h, const struct requests_files *files);

/* run.c: runs a program to its end, and forwards its output to the host. */

/* Sets the environment of programs: PATH, HOME, libraries, and the NAME=VALUE lines of a file. */
struct run_environment {
	const char *program_dirs; /* for PATH, before the usual ones; "" = none */
	const char *library_path; /* or NULL */
	const char *term;	  /* or NULL */
	const char *colorterm;	  /* or NULL */
	const char *lines;	  /* or NULL */
};
void run_set_environment(const struct run_environment *e);

/*
 * Runs the program with stdin from /dev/null and both outputs as frames. Returns its exit
 * status (128 + signal if killed, 127 if it cannot be executed). PID 1 reaps all other
 * children that end meanwhile. Output of background children after the program's end is not
 * waited for.
 */
int run_program(char *const argv[]);
/* Between fork() and exec(): a session of its own, no blocked signals, and these files. */
void run_begin_session(int in, int out, int err);
/* Starts a loader of BPF programs with its stderr in that file. Returns its PID, or -1. */
pid_t run_loader(char *const argv[], const char *problem);

/* Callbacks while a program runs, as init has a single thread. */
struct pollfd;
struct run_watcher {
	void *ctx;
	size_t (*add_fds)(void *ctx, struct pollfd *fds, size_t max); /* descriptors to wait for */
	void (*reaped)(void *ctx, int pid, int status);		      /* any other child ended */
	void (*look)(void *ctx, int payload); /* after every event, at least once per period */
	int period_ms;
};
#define RUN_MAX_WATCHED 4
int run_program_watched(char *const argv[], const struct run_watcher *watcher);

/* Sets the time limit of programs that are started from now on; 0 = none. See GUEST_LIMIT_S. */
void run_set_limit(uint64_t limit_ns);

/* Waits for this child and reaps all others. Returns its status as above. */
int run_wait(int pid);

/* Reaps all children that have ended, without waiting; true if this one was among them. */
bool run_has_ended(int pid, int *exit_status);

/*
 * probes.c: BPF probes of a second run. They are attached to the kernel before the
 * scheduler starts, and to its programs while it runs; their records are sent at the end.
 */
void probes_start(const char *functions);
void probes_wait(void); /* until the scheduler's programs are probed, or a timeout */
void probes_finish(void);

/* mounts.c: file systems of the guest, and the links that programs expect in /dev. */

/* Mounts /dev alone: without it, nothing can be reported. Returns 0 or a negative errno. */
int mounts_make_dev(void);

/*
 * Mounts /proc, which has the settings, then all others. If a required one fails, the guest
 * ends.
 */
void mounts_make_proc(void);
void mounts_make_rest(void);

/* Appends the existing mount points, separated by blanks. */
void mounts_list(struct str *out);

/* disk.c: the disk of --disk, on any bus. */

/*
 * Makes the disk available as /dev/vda. Loads its driver if that is a module. Kernels
 * without such a driver get an NVMe disk, and a link. Waits for a while, because drivers
 * probe asynchronously.
 */
void disk_make(void);

/* unpack.c: unpacks a newc archive from the channel, as the kernel does with an initramfs. */

/*
 * Unpacks below root ("" for the guest itself) directories, regular files and symbolic
 * links; existing ones are replaced. Returns -EINVAL with a message if the archive is
 * damaged or an entry would leave root.
 */
int unpack_newc(const char *root, const void *data, size_t len);

/* include_path.c: the files below /include-files, and the directories that belong in PATH. */

struct include_path {
	struct str files;	/* paths, one per line, in order */
	struct str directories; /* those with a program, separated by ':' */
};

/* Walks the directory; a missing one is not an error. */
void include_path_scan(struct include_path *p, const char *directory);

/*
 * kernel_config.c: the kernel's configuration, where loaders of BPF programs look for it.
 *
 * A configuration that the host derived from a kernel image lacks some numbers. The running
 * kernel knows them: the resolution of its coarse clocks is one tick, and sysfs has the
 * largest possible CPU number.
 */

/*
 * Completes GUEST_CONFIG below root and names it after the running kernel. Returns 0 or a
 * negative errno; -ENOENT if there is none.
 */
int kernel_config_place(const char *root);

/* topology_check.c: compares the machine that the guest's kernel sees with the requested one. */

struct topology_shape {
	unsigned int nodes, llcs, cores, threads; /* LLCs in total, cores per LLC */
};

/* Parses "n,l,c,t". Returns -EINVAL with a message on errors. */
int topology_shape_parse(const char *text, struct topology_shape *out);

/*
 * Returns 0, or -EPROTO with the first difference as the message. nodes is a list of
 * LLCS:MIB separated by commas; NULL = all nodes are alike. distances is a matrix by rows,
 * numbers separated by commas; NULL = 10 within a node, 20 between nodes.
 */
int topology_check(const struct topology *t, const struct topology_shape *want, const char *nodes,
		   const char *distances);

/* True if sysfs shows no L3 cache, as in emulated aarch64 guests: clusters are used instead. */
bool topology_lacks_caches(const struct topology *t);

/*
 * Compares LLCs with clusters. Returns 0, -EPROTO with the first difference, or -ENODATA if
 * sysfs shows no clusters either.
 */
int topology_check_clusters(const struct topology *t, const struct topology_shape *want,
			    const struct roots *roots);

/* shell.c: the interactive shell, its banner and its terminal. */

struct shell_facts {
	const char *kernel;
	unsigned long memory_mib;
	struct topology_shape shape;
	const char *includes; /* paths, one per line */
	unsigned int applets;
	const char *mounts;
};

void shell_add_banner(const struct shell_facts *facts, struct str *out);

struct shell_terminal {
	unsigned int columns, rows; /* 0 = unknown */
};

/*
 * Prints the banner and runs a shell with the port as its controlling terminal, so that
 * Ctrl-C and job control work. Returns the shell's exit status.
 */
int shell_run(const char *banner, const struct shell_terminal *t);

/* seed.c: what a seed changes in a run: the guest's random numbers, and when it starts. */

/* Returns the next pseudo-random word and advances state. */
uint64_t seed_next(uint64_t *state);

/* Feeds the kernel's random pool and waits for a short time that the seed determines. */
void seed_apply(uint64_t seed);

/*
 * wake_delay.c: delays between the decision to wake a task and the moment when the
 * scheduler is called. Which wakeups, and how long, depends on the seed alone. The delay is
 * in the kernel, before any scheduler is involved, so it hits all tasks under every
 * scheduler.
 */

#define WAKE_DELAY_ONE_IN 8 /* wakeups */
#define WAKE_DELAY_MAX_US 100000

/*
 * From now on, as long as this process lives, one wakeup in eight is delayed by up to
 * longest_us. Returns -EINVAL if that exceeds WAKE_DELAY_MAX_US, or the kernel's error.
 */
int wake_delay_start(uint64_t seed, uint32_t longest_us);

/* crash.c: reports a crash of PID 1 before the guest ends. */

void crash_install(void);

/* profiles.c: raw profiles that instrumented programs left in GUEST_PROFILE_DIR. */

/* Sends a CHANNEL_COVERAGE frame for each. Call after the last program has ended. */
void profiles_send(void);

/*
 * observe.c: the observer of scheduling events in a guest. Loading takes a while, so it is
 * done once, before a template is saved; it counts while a payload runs. If it cannot,
 * GUEST_OBSERVE_PROBLEM tells the payload why.
 */

/* takes_turns: the vCPUs share one thread. */
void observe_load(bool takes_turns);
void observe_start(void);

/* spin.c: the smallest workload: does every CPU run its task? */

/* GUEST_SPIN of protocol.h. Returns the exit status of the payload. */
int spin_run(const char *milliseconds);

#endif
