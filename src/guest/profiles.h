/* SPDX-License-Identifier: GPL-2.0-only */
/* Raw profiles that instrumented programs left in GUEST_PROFILE_DIR. */
#ifndef KTSTR_GUEST_PROFILES_H
#define KTSTR_GUEST_PROFILES_H

/* A CHANNEL_COVERAGE frame for each, after the last program has ended. */
void profiles_send(void);

#endif
