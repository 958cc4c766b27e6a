/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included everywhere: the usual headers of the C library and the basic helpers of this tree.
 * Headers of other directories include it.
 */
#ifndef KTSTR_BASE_BASE_H
#define KTSTR_BASE_BASE_H

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/log.h"
#include "base/map_file.h"
#include "base/order.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/roots.h"
#include "base/str.h"
#include "base/table.h"
#include "base/term.h"
#include "base/text.h"
#include "base/texts.h"
#include "base/tree.h"
#include "base/util.h"
#include "base/vec.h"

#endif
