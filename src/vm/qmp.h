/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's machine protocol over a socket that QEMU inherited. One thread uses a
 * connection. Every wait has a limit: a QEMU that hangs is an answer too.
 */
#ifndef KTSTR_VM_QMP_H
#define KTSTR_VM_QMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Of all that QEMU tells we want three words. */
#define QMP_WORD_SIZE 48
struct qmp_event {
	char name[QMP_WORD_SIZE];
	char status[QMP_WORD_SIZE]; /* data.status, of MIGRATION */
	char reason[QMP_WORD_SIZE]; /* data.reason, of SHUTDOWN */
};

struct qmp {
	int fd;
	struct str in; /* bytes read and not yet taken apart */
	struct qmp_event *events;
	size_t event_count, event_cap;
	size_t owed; /* commands sent whose replies have not been read */
};

/* Takes the socket over. Nothing is read or sent yet. */
void qmp_init(struct qmp *q, int fd);
void qmp_finish(struct qmp *q);

/* Sends a command; args is a JSON object as text, or NULL. The reply is read later. */
int qmp_send(struct qmp *q, const char *command, const char *args);

/*
 * Reads the reply to the oldest command that is owed one: 0, -EPROTO with QEMU's
 * words when it refused, -ETIMEDOUT, or -EPIPE when QEMU is gone. Events that come
 * in between are kept. reply (may be NULL) gets the whole line.
 */
int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply);

/* qmp_send() and the reply to it; replies owed before are read first and must be fine. */
int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct str *reply);

/* Reads what has arrived, without waiting. -EPIPE when QEMU is gone. */
int qmp_pump(struct qmp *q);

/* Takes the oldest event, if there is one. */
bool qmp_next_event(struct qmp *q, struct qmp_event *event);

/* Waits for an event of this name and drops what came before it. */
int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, struct qmp_event *event);

#endif
