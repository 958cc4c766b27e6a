// SPDX-License-Identifier: GPL-2.0-only
/* The channel of this guest, and the lock that its programs share. */
#include "guest/parts.h"

#include <sys/mman.h>

/* The lock is in a mapped file, so that programs started by init can share it. */
static pthread_mutex_t *map_lock(void)
{
	_close_ int fd = open(CHANNEL_LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	pthread_mutex_t *lock;

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return NULL;
	lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return lock != MAP_FAILED && channel_lock_init(lock) == 0 ? lock : NULL;
}

int report_open_channel(void)
{
	_str_ struct str device = {};
	pthread_mutex_t *lock;
	void *region;
	size_t size;
	int rc = channel_device_find("/sys", &device);

	if (rc < 0)
		return rc;
	rc = channel_device_map(str_get(&device), &region, &size);
	if (rc < 0)
		return rc;
	/* Children never write to it, and each fork would copy its 16,384 page table entries. */
	madvise(region, size, MADV_DONTFORK);
	lock = map_lock();
	if (!lock)
		return err_sys(errno, "make " CHANNEL_LOCK_FILE);
	return channel_writer_init(&report.channel, region, size, lock);
}
