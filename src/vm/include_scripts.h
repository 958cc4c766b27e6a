/* SPDX-License-Identifier: GPL-2.0-only */
/* Scripts among the include files, whose interpreter the guest may not have. */
#ifndef KTSTR_VM_INCLUDE_SCRIPTS_H
#define KTSTR_VM_INCLUDE_SCRIPTS_H

#include "vm/include_files.h"

/* Adds a warning for each script whose #! line names what will not be there. */
int include_scripts_check(struct include_files *f);

#endif
