// SPDX-License-Identifier: GPL-2.0-only
/* Finds and maps the channel in the guest. */
#include <sys/mman.h>

#include "channel/channel.h"

/* ivshmem-plain */
#define PCI_VENDOR "0x1af4"
#define PCI_DEVICE "0x1110"

static bool has_id(const char *sysfs, const char *device, const char *file, const char *wanted)
{
	_str_ struct str id = {};

	return root_read_line(sysfs, &id, "bus/pci/devices/%s/%s", device, file) == 0 &&
	       str_eq(str_get(&id), wanted);
}

int channel_device_find(const char *sysfs, struct str *out)
{
	_free_ char *path = str_fmt("%s/bus/pci/devices", sysfs);
	_closedir_ DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    !has_id(sysfs, entry->d_name, "vendor", PCI_VENDOR) ||
		    !has_id(sysfs, entry->d_name, "device", PCI_DEVICE))
			continue;
		str_addf(out, "%s/%s", path, entry->d_name);
		return str_check(out);
	}
	return -ENODEV;
}

static int enable(const char *device_dir)
{
	_free_ char *path = str_fmt("%s/enable", device_dir);
	_close_ int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
	int rc = fd < 0 ? -errno : fd_write_all(fd, "1", 1);

	return rc < 0 ? err_sys(-rc, "switch on %s", device_dir) : 0;
}

/* Opens the device's memory. Returns the descriptor, or a negative errno with a message. */
static int open_memory(const char *device_dir, size_t *size)
{
	_free_ char *path = str_fmt("%s/resource2", device_dir);
	struct stat st;
	int rc = path ? enable(device_dir) : err_no_memory(), fd;

	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = err_sys(errno, "open %s", path);
		cleanup_fd(&fd);
		return rc;
	}
	*size = (size_t)st.st_size;
	return fd;
}

static int map_memory(const char *device_dir, int fd, size_t size, void **region)
{
	*region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *region == MAP_FAILED ? err_sys(errno, "map %s/resource2", device_dir) : 0;
}

int channel_device_map(const char *device_dir, void **region, size_t *size)
{
	_close_ int fd = -1;

	*region = NULL;
	*size = 0;
	fd = open_memory(device_dir, size);
	return fd < 0 ? fd : map_memory(device_dir, fd, *size, region);
}

int channel_device_join(struct channel_writer *w, const char *device_dir, pthread_mutex_t *lock)
{
	_close_ int fd = -1;
	void *header;
	size_t size = 0;
	int rc;

	fd = open_memory(device_dir, &size);
	if (fd < 0)
		return fd;
	if (size < CHANNEL_HEADER_SIZE)
		return err_set(EPROTO, "the channel cannot be used: it has %zu bytes", size);
	rc = map_memory(device_dir, fd, CHANNEL_HEADER_SIZE, &header);
	rc = rc ?: channel_writer_init(w, header, size, lock);
	if (rc < 0)
		return rc;
	w->has_windows = true;
	w->fd = take_fd(&fd);
	return 0;
}

static pthread_mutex_t *map_lock(void)
{
	_close_ int fd = open(CHANNEL_LOCK_FILE, O_RDWR | O_CLOEXEC);
	void *lock = fd < 0 ? MAP_FAILED :
			      mmap(NULL, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);

	return lock == MAP_FAILED ? NULL : lock;
}

int channel_join(struct channel_writer *w)
{
	_str_ struct str device = {};
	pthread_mutex_t *lock = map_lock();
	int rc;

	if (!lock)
		return err_sys(errno, "open " CHANNEL_LOCK_FILE);
	rc = channel_device_find("/sys", &device);
	if (rc < 0)
		return err_sys(-rc, "find the channel to the host");
	return channel_device_join(w, str_get(&device), lock);
}
