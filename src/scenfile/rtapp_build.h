/* SPDX-License-Identifier: GPL-2.0-only */
/* From the tasks of an rt-app file to cgroups and workers. */
#ifndef KTSTR_SCENFILE_RTAPP_BUILD_H
#define KTSTR_SCENFILE_RTAPP_BUILD_H

#include "scenfile/rtapp_read.h"
#include "scenfile/scenfile.h"

/* Checks what only the whole tells, and fills in the scenario. */
int rtapp_build(struct rtapp_reader *r, struct scenfile *out);

#endif
