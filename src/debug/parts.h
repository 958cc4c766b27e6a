/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_DEBUG_PARTS_H
#define KTSTR_DEBUG_PARTS_H

#include "debug/debug.h"
#include "debug/dwarf.h"
#include "trace/debug_format.h"
#include "watch/watch.h"

/* gdb.c: starts a private gdb and connects to it by a socket. */

struct gdb {
	struct child child;
	char *dir; /* with socket, symbols and initial script */
	int listen_fd, fd;
	struct packets packets;
	struct str sent; /* the last packet, until it is acknowledged */
	bool no_ack;
};

/* Starts gdb with an ELF file of symbols and command definitions, and waits for its connection. */
int gdb_start(struct gdb *g, const struct gdb_options *o, const struct str *symbols,
	      const struct str *commands);

/* Waits for the next packet. False = gdb has exited. Ignores an interrupt. */
bool gdb_next(struct gdb *g, struct str *data);

/* Does not wait. PACKET_NONE = no packet; *is_gone = gdb has exited. */
enum packet_kind gdb_poll(struct gdb *g, struct str *data, bool *is_gone);

void gdb_send(struct gdb *g, const struct str *reply);

/* Text for gdb to print while the guest runs. */
void gdb_print(struct gdb *g, const char *text);

/* Closes the connection and waits until gdb has exited. */
void gdb_finish(struct gdb *g);

/*
 * travel.c: moves through a sim run in both directions. Forwards, the plugin lets the guest run to
 * its next stop. Backwards, the run is repeated from its template: once to find the last stop
 * before the current position, and once more to stop there. A run is determined by its seed, so it
 * is the same run each time; this is verified by the instruction at the position, and at the end by
 * the digest.
 */

struct travel;

/* Decides how to continue. */
struct travel_driver {
	int fd; /* descriptor to watch while the guest runs; -1 = none */
	/*
	 * The guest is stopped: must call one of the travel_...() functions below and return 0; a
	 * negative errno ends the session.
	 */
	int (*stands)(void *ctx, struct travel *t);
	/* fd is readable: may call travel_interrupt(). */
	int (*hear)(void *ctx, struct travel *t);
	void *ctx;
};

enum travel_goal {
	TRAVEL_FORWARD,
	TRAVEL_SEARCH, /* find the last stop before a position */
	TRAVEL_RETURN, /* go to a known position */
};

struct travel {
	struct vm_session session;
	const struct watch_layout *layout;
	struct travel_driver driver;
	const char *arguments; /* further arguments of the plugin, each after a comma */

	enum travel_goal goal;
	struct debug_order order;
	struct debug_event target; /* for TRAVEL_RETURN */
	uint64_t expected_rip;	   /* at the target position; 0 = unknown */
	bool is_again;		   /* restart the session */
	int problem;		   /* negative errno with a message, or 0 */

	/* The current stop. */
	struct debug_stop stop;
	bool is_beginning; /* at the start of the run */

	/* The current session. */
	struct vm_watcher watcher;
	struct vm_plugin plugin;
	struct str option;
	int ours;
	struct debug_shared *shared;
	struct vm *vm;
	struct vm_memory memory;
	struct space space;
	bool has_space;
};

void travel_init(struct travel *t, const struct vm_session *session,
		 const struct watch_layout *layout, const char *arguments,
		 const struct travel_driver *driver);

/*
 * Runs from the start, by the first order, until the run has ended: 0 with its result. A negative
 * errno from the driver, or if the run fails.
 */
int travel_run(struct travel *t, const struct debug_order *first, struct vm_result *result);
void travel_finish(struct travel *t);

/* An order without stops. */
struct debug_order travel_order(void);

/* Continue from the current stop. Places and watches of the order are kept. */
void travel_forward(struct travel *t, const struct debug_order *order);
void travel_back(struct travel *t, const struct debug_order *order);
void travel_step_back(struct travel *t, uint64_t cpu_base);

/* Stops the guest at its next instruction. */
void travel_interrupt(struct travel *t);

/*
 * server.c: gdb's requests to a stopped guest, and the answers. Threads are CPUs, numbered from 1.
 * Writing to a guest changes the run, so it must be allowed explicitly.
 */

/* Access to the guest. False = unreadable. */
struct server_guest {
	size_t cpu_count;
	bool (*registers)(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT]);
	/* Number of bytes from the start that could be read, in the address space of this CPU. */
	size_t (*memory)(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len);
	/* False = not all of it is memory. */
	bool (*write)(void *ctx, unsigned int cpu, uint64_t address, const void *data, size_t len);
	void (*cpu_name)(void *ctx, unsigned int cpu, struct str *out);
	/* A "monitor" command, see monitor.c. */
	void (*monitor)(void *ctx, const char *command, struct str *out);
	void *ctx;
};

/* What to do after the answer. */
enum server_next {
	SERVER_STAY,
	SERVER_CONTINUE,
	SERVER_STEP,
	SERVER_BACK,
	SERVER_STEP_BACK,
	SERVER_LEAVE, /* end of the session */
};

struct server {
	const struct server_guest *guest;
	const struct debug_stop *stop; /* current stop */
	bool is_beginning;	       /* of the run */
	bool may_write;		       /* writes to memory are allowed */
	bool is_written;	       /* memory was written */
	const char *note;	       /* message for the user, which gdb does not print; or NULL */
	bool no_ack;		       /* packets are not acknowledged any more */
	unsigned int asked_cpu;	       /* for registers and memory */
	unsigned int step_cpu;	       /* for SERVER_STEP and SERVER_STEP_BACK */
	uint32_t place_count, watch_count;
	uint64_t places[DEBUG_MAX_PLACES];
	struct debug_watch watches[DEBUG_MAX_WATCHES];
};

/* The guest has stopped elsewhere. */
void server_set_stop(struct server *s, const struct debug_stop *stop, bool is_beginning);

/* Answers a packet; data must be NUL-terminated (not counted in len). */
enum server_next server_answer(struct server *s, const char *data, size_t len, struct str *reply);

/* Appends the stop reason. */
void server_add_stop(const struct server *s, struct str *reply);

/* view.c: implements server_guest for a stopped guest. */

struct view {
	struct travel *travel;
	const struct symbols *symbols;
	const char *vmlinux, *scheduler; /* files of the host, or NULL */
	struct known_types known;
	struct server_guest guest;
	struct vcpus others; /* of the other CPUs, once queried */
};

void view_init(struct view *v, struct travel *t, const struct symbols *symbols);

/* The guest has stopped elsewhere: drops cached data. */
void view_reset(struct view *v);

/* gs_base of a CPU in kernel mode; 0 = unknown. */
uint64_t view_cpu_base(struct view *v, unsigned int cpu);

/*
 * monitor.c: gdb's "monitor" commands: information about a stopped guest for scheduler developers.
 */

struct monitor {
	const struct debug_stop *stop;
	struct space *space; /* NULL = guest memory is unreadable */
	const struct symbols *symbols;
	const struct chase_types *types; /* for pointers; NULL = unknown */
	unsigned int cpu_count;
	struct vcpus cpus; /* for commands that need registers */
};

bool monitor_wants_registers(const char *command);
void monitor_add_cpu(struct monitor *m, unsigned int cpu, const uint64_t *registers);

/* Appends text for the user, also for an unknown command. */
void monitor_answer(struct monitor *m, const char *command, struct str *out);
void monitor_finish(struct monitor *m);

/* Appends gdb commands that are shortcuts for them. */
void monitor_add_script(struct str *out);

/*
 * symbol_file.c: an ELF file without code, for gdb: functions and variables of the guest's kernel
 * and its BPF programs at their addresses in the guest, and the available debug information.
 */

/* programs, dwarf: NULL = none. -ENOMEM only. */
int symbol_file_make(const struct symbols *kernel, const struct prog_lines *programs,
		     const struct dwarf_out *dwarf, struct str *out);

#endif
