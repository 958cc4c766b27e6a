/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_DEBUG_PARTS_H
#define KTSTR_DEBUG_PARTS_H

#include "debug/debug.h"
#include "debug/dwarf.h"
#include "trace/debug_format.h"
#include "watch/watch.h"

/* gdb.c: A gdb of our own: started with what it needs to know, and connected by a socket. */

struct gdb {
	struct child child;
	char *dir; /* with the socket, the symbols and the first script */
	int listen_fd, fd;
	struct packets packets;
	struct str sent; /* the last packet, until it was acknowledged */
	bool no_ack;
};

/* Starts gdb with an ELF file of symbols and definitions of commands, and waits for it. */
int gdb_start(struct gdb *g, const struct gdb_options *o, const struct str *symbols,
	      const struct str *commands);

/* Waits for the next packet. False = gdb is gone. An interrupt is ignored. */
bool gdb_next(struct gdb *g, struct str *data);

/* Without waiting. PACKET_NONE = nothing has come; *is_gone = nothing ever will. */
enum packet_kind gdb_poll(struct gdb *g, struct str *data, bool *is_gone);

void gdb_send(struct gdb *g, const struct str *reply);

/* Text that gdb prints while the guest runs. */
void gdb_print(struct gdb *g, const char *text);

/* Closes the connection and waits until gdb has ended. */
void gdb_finish(struct gdb *g);

/*
 * travel.c: Going through a run of sim in both directions. Forwards the plugin lets the guest run
 * to its next stop. Backwards the run is run again from its template: once to find the last stop
 * before the present position, and once more to stop there. A run is a function of its seed, so it
 * is the same run each time; that is checked by the instruction that is found at a position, and at
 * the end by the digest.
 */

struct travel;

/* Who decides how to go on. */
struct travel_driver {
	int fd; /* that may have something to say while the guest runs; -1 = none */
	/*
	 * The guest stands still: one of the travel_...() below has been called when this returns
	 * 0; a negative errno ends the session.
	 */
	int (*stands)(void *ctx, struct travel *t);
	/* There is something at fd: travel_interrupt() may be called. */
	int (*hear)(void *ctx, struct travel *t);
	void *ctx;
};

enum travel_goal {
	TRAVEL_FORWARD,
	TRAVEL_SEARCH, /* for the last stop before a position */
	TRAVEL_RETURN, /* to a position that is known */
};

struct travel {
	struct vm_session session;
	const struct watch_layout *layout;
	struct travel_driver driver;
	const char *arguments; /* more of them for the plugin, each with a comma in front */

	enum travel_goal goal;
	struct debug_order order;
	struct debug_event target; /* of TRAVEL_RETURN */
	uint64_t expected_rip;	   /* at the position that it is run to; 0 = not known */
	bool is_again;		   /* the session is to be started again */
	int problem;		   /* a negative errno with a message, or 0 */

	/* Where it stands. */
	struct debug_stop stop;
	bool is_beginning; /* there is nothing before */

	/* Of the present session. */
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
 * Runs from the beginning, by the first order, until the run has ended: 0 with its result. A
 * negative errno of the driver, or of a run that cannot be run.
 */
int travel_run(struct travel *t, const struct debug_order *first, struct vm_result *result);
void travel_finish(struct travel *t);

/* An order that never stops. */
struct debug_order travel_order(void);

/* How to go on from where it stands. Places and watches of the order are kept. */
void travel_forward(struct travel *t, const struct debug_order *order);
void travel_back(struct travel *t, const struct debug_order *order);
void travel_step_back(struct travel *t, uint64_t cpu_base);

/* The guest stops at its next instruction. */
void travel_interrupt(struct travel *t);

/*
 * server.c: What gdb asks of a guest that stands still, and the answers. Threads are CPUs, from 1
 * on. A run that is written to is not the same any more: only who asked for it may do so.
 */

/* The guest. False = it cannot be read. */
struct server_guest {
	size_t cpu_count;
	bool (*registers)(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT]);
	/* As many bytes from the beginning as can be read, as this CPU sees them. */
	size_t (*memory)(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len);
	/* False = not all of it is memory. */
	bool (*write)(void *ctx, unsigned int cpu, uint64_t address, const void *data, size_t len);
	void (*cpu_name)(void *ctx, unsigned int cpu, struct str *out);
	/* A command of ours, see monitor.c. */
	void (*monitor)(void *ctx, const char *command, struct str *out);
	void *ctx;
};

/* What gdb wants after its answer. */
enum server_next {
	SERVER_STAY,
	SERVER_CONTINUE,
	SERVER_STEP,
	SERVER_BACK,
	SERVER_STEP_BACK,
	SERVER_LEAVE, /* it wants no more */
};

struct server {
	const struct server_guest *guest;
	const struct debug_stop *stop; /* where it stands */
	bool is_beginning;	       /* of the run */
	bool may_write;		       /* to memory */
	bool is_written;	       /* it was */
	const char *note;	       /* for the user, whom gdb does not tell; NULL = none */
	bool no_ack;		       /* packets are not acknowledged any more */
	unsigned int asked_cpu;	       /* whose registers and memory are meant */
	unsigned int step_cpu;	       /* of SERVER_STEP and SERVER_STEP_BACK */
	uint32_t place_count, watch_count;
	uint64_t places[DEBUG_MAX_PLACES];
	struct debug_watch watches[DEBUG_MAX_WATCHES];
};

/* The guest stands somewhere else now. */
void server_set_stop(struct server *s, const struct debug_stop *stop, bool is_beginning);

/* The data of a packet; it must end with a NUL that is not counted. */
enum server_next server_answer(struct server *s, const char *data, size_t len, struct str *reply);

/* Why it stands still. */
void server_add_stop(const struct server *s, struct str *reply);

/* view.c: A guest that stands still, as the server asks for it. */

struct view {
	struct travel *travel;
	const struct symbols *symbols;
	const char *vmlinux, *scheduler; /* files of the host, or NULL */
	struct known_types known;
	struct server_guest guest;
	struct vcpus others; /* of the CPUs that it does not stand in, once they were asked for */
};

void view_init(struct view *v, struct travel *t, const struct symbols *symbols);

/* It stands somewhere else now. */
void view_reset(struct view *v);

/* gs_base of a CPU while it is in the kernel; 0 = not known. */
uint64_t view_cpu_base(struct view *v, unsigned int cpu);

/* monitor.c: "monitor" commands of gdb: what scheduler developers ask a guest that stands still. */

struct monitor {
	const struct debug_stop *stop;
	struct space *space; /* NULL = the guest's memory cannot be read */
	const struct symbols *symbols;
	const struct chase_types *types; /* for pointers; NULL = nothing is known */
	unsigned int cpu_count;
	struct vcpus cpus; /* of a command that wants registers */
};

bool monitor_wants_registers(const char *command);
void monitor_add_cpu(struct monitor *m, unsigned int cpu, const uint64_t *registers);

/* Text for the user, also where the command is not known. */
void monitor_answer(struct monitor *m, const char *command, struct str *out);
void monitor_finish(struct monitor *m);

/* Commands of gdb's own language that are short for them. */
void monitor_add_script(struct str *out);

/*
 * symbol_file.c: An ELF file without code, for gdb: functions and variables of the guest's kernel
 * and its BPF programs, where they are in the guest's memory, and what there is of debug
 * information.
 */

/* programs, dwarf: NULL = none are known. -ENOMEM only. */
int symbol_file_make(const struct symbols *kernel, const struct prog_lines *programs,
		     const struct dwarf_out *dwarf, struct str *out);

#endif
