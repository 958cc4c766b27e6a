/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of QEMU that are lists of objects. */
#ifndef KTSTR_VM_QMP_ANSWER_H
#define KTSTR_VM_QMP_ANSWER_H

#include "base/json_read.h"
#include "base/str.h"

/* Reads the members of an object that was entered. */
typedef void qmp_object_fn(struct json_reader *r, void *ctx);

/* Every object of the array that was entered; what is no object is passed over. */
void qmp_each_object(struct json_reader *r, qmp_object_fn *take, void *ctx);

/* The same for {"return": [...]}. False = that is no answer. */
bool qmp_answer_objects(struct str *reply, qmp_object_fn *take, void *ctx);

#endif
