// SPDX-License-Identifier: GPL-2.0-only
/* Sends coverage profiles to the host. */
#include "guest/parts.h"

#include "guest/protocol.h"

#define PROFILES_PART 4 /* 1/4 of the ring */

static void send_file(int dir, const char *name)
{
	_str_ struct str bytes = {};
	static uint64_t sent;

	if (file_read_at(dir, name, &bytes) < 0 || !bytes.len)
		return;
	if (report_has_room(&sent, bytes.len, PROFILES_PART))
		channel_send(&report.channel, CHANNEL_COVERAGE, bytes.s, bytes.len);
	else
		report_log("a profile of %zu bytes is too large for the channel", bytes.len);
}

void profiles_send(void)
{
	struct dirent **entries;
	_closedir_ DIR *dir = opendir(GUEST_PROFILE_DIR);
	int count = dir ? scandir(GUEST_PROFILE_DIR, &entries, NULL, alphasort) : -1;

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			send_file(dirfd(dir), entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}
