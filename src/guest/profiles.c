// SPDX-License-Identifier: GPL-2.0-only
/* Profiles of coverage on their way to the host. */
#include "guest/profiles.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "guest/protocol.h"
#include "guest/report.h"

/*
 * A ring that nobody drains must keep room for the run's status, which comes last: what
 * would take more than a quarter of it stays here.
 */
static bool has_room(size_t len)
{
	const struct channel_header *h = report.channel.header;
	static size_t sent;

	if (!h || h->flags & CHANNEL_LIVE_READER)
		return h;
	sent += len;
	return sent <= h->capacity / 4;
}

static void send_file(int dir, const char *name)
{
	_str_ struct str bytes = {};

	if (file_read_at(dir, name, &bytes) < 0 || !bytes.len)
		return;
	if (has_room(bytes.len))
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
