/*
 * QEMU's machine protocol over a socket that QEMU inherited. One thread uses a
 * connection. Every wait has a limit: a QEMU that hangs is an answer too.
 */
#ifndef KTSTR_VM_QMP_H
#define KTSTR_VM_QMP_H

#include <stdint.h>

#include <jansson.h>

#include "base/str.h"

struct qmp {
	int fd;
	struct str in;	/* bytes read and not yet taken apart */
	json_t *events; /* array of event objects, oldest first */
	size_t owed;	/* commands sent whose replies have not been read */
};

/* Takes the socket over. Nothing is read or sent yet. */
int qmp_init(struct qmp *q, int fd);
void qmp_finish(struct qmp *q);

/* Sends a command; args (may be NULL) is taken over. The reply is read later. */
int qmp_send(struct qmp *q, const char *command, json_t *args);

/*
 * Reads the reply to the oldest command that is owed one: 0 with *value (may be
 * NULL; else to be json_decref()ed), -EPROTO with QEMU's words when it refused,
 * -ETIMEDOUT, or -EPIPE when QEMU is gone. Events that come in between are kept.
 */
int qmp_reply(struct qmp *q, uint64_t timeout_ns, json_t **value);

/* qmp_send() and the reply to it; replies owed before are read first and must be fine. */
int qmp_execute(struct qmp *q, const char *command, json_t *args, uint64_t timeout_ns,
		json_t **value);

/* Reads what has arrived, without waiting. -EPIPE when QEMU is gone. */
int qmp_pump(struct qmp *q);

/* The oldest event, to be json_decref()ed, or NULL. */
json_t *qmp_next_event(struct qmp *q);

/*
 * Waits for an event of this name and drops what came before it. *event may be
 * NULL; else it is to be json_decref()ed.
 */
int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, json_t **event);

#endif
