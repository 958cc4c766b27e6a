/*
 * QEMU's machine protocol over a socket that QEMU inherited. One thread uses a
 * connection. Every wait has a limit: a QEMU that hangs is an answer too.
 */
#ifndef KTSTR_VM_QMP_H
#define KTSTR_VM_QMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct json_object;

struct qmp {
	int fd;
	struct str in;		     /* bytes read and not yet taken apart */
	struct json_object **events; /* oldest first */
	size_t event_count, event_cap;
	size_t owed; /* commands sent whose replies have not been read */
};

/* Takes the socket over. Nothing is read or sent yet. */
int qmp_init(struct qmp *q, int fd);
void qmp_finish(struct qmp *q);

/* Sends a command; args is a JSON object as text, or NULL. The reply is read later. */
int qmp_send(struct qmp *q, const char *command, const char *args);

/*
 * Reads the reply to the oldest command that is owed one (*value, which may be
 * NULL, gets what it returned): 0, -EPROTO with QEMU's words when it refused,
 * -ETIMEDOUT, or -EPIPE when QEMU is gone. Events that come in between are kept.
 */
int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct json_object **value);

/* qmp_send() and the reply to it; replies owed before are read first and must be fine. */
int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct json_object **value);

/* Reads what has arrived, without waiting. -EPIPE when QEMU is gone. */
int qmp_pump(struct qmp *q);

/* The oldest event, the caller's from now on, or NULL. */
struct json_object *qmp_next_event(struct qmp *q);

/* Waits for an event of this name and drops what came before it. */
int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns,
		   struct json_object **event);

/* The text of member, of the member's member and so on, or NULL: qmp_text(e, "data", "status", NULL). */
const char *qmp_text(struct json_object *object, ...) __attribute__((sentinel));

void qmp_object_finish(struct json_object **object);

#endif
