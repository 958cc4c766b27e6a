/* SPDX-License-Identifier: GPL-2.0-only */
/* A gdb of our own: started with what it needs to know, and connected by a socket. */
#ifndef KTSTR_DEBUG_GDB_H
#define KTSTR_DEBUG_GDB_H

#include "base/base.h"
#include "watch/packet.h"

struct gdb_options {
	bool is_batch;
	const char *script; /* or NULL */
	char *const *arguments;
	size_t argument_count;
};

struct gdb {
	struct child child;
	char *dir; /* with the socket, the symbols and the first script */
	int listen_fd, fd;
	struct packets packets;
	struct str sent; /* the last packet, until it was acknowledged */
	bool no_ack;
};

/* -ENOENT with a message where there is no gdb. */
int gdb_check(void);

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

#endif
