// SPDX-License-Identifier: GPL-2.0-only
/* Writes to the serial ports and ends the guest. */
#include "guest/parts.h"

#include <sys/reboot.h>
#include <termios.h>

#include "guest/protocol.h"

#define LINE_SIZE 1024
#define OUTPUT_PART 2 /* 1/2 of the ring is for output; see VM_RING_BYTES */
#define REST_PART 4   /* 1/4 of the ring stays for profiles, reports and the like */
#define TEXT_FRAME ((size_t)2 << 20)

struct guest_report report = { .console = -1, .control = -1 };

static int open_port(const char *path)
{
	return open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* Sends bytes unchanged: no carriage returns added, no echo. */
static void make_raw(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t) < 0)
		return;
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
}

void report_open(void)
{
	report.console = open_port(GUEST_KERNEL_TTY);
	if (report.console < 0)
		report.console = open_port("/dev/console");
	report.control = open_port(GUEST_SHELL_TTY);
	if (report.control >= 0)
		make_raw(report.control);
}

bool report_has_channel(void)
{
	return report.channel.header != NULL;
}

static void put(int fd, const char *text, size_t len)
{
	if (fd >= 0)
		(void)fd_write_all(fd, text, len);
}

static size_t format_line(char line[static LINE_SIZE], const char *prefix, const char *fmt,
			  va_list ap)
{
	size_t len = (size_t)snprintf(line, LINE_SIZE, "%s", prefix);

	vsnprintf(line + len, LINE_SIZE - len - 1, fmt, ap);
	len = strlen(line);
	line[len++] = '\n';
	return len;
}

/* Formats the variable arguments of the calling function, like str_add_rest(). */
#define FORMAT_REST(line, prefix, fmt)                            \
	({                                                        \
		va_list ap_;                                      \
		size_t len_;                                      \
                                                                  \
		va_start(ap_, fmt);                               \
		len_ = format_line((line), (prefix), (fmt), ap_); \
		va_end(ap_);                                      \
		len_;                                             \
	})

void report_line(const char *fmt, ...)
{
	char line[LINE_SIZE];
	size_t len = FORMAT_REST(line, "", fmt);

	put(report.control, line, len);
}

static void send_log(const char *line, size_t len)
{
	if (channel_send(&report.channel, CHANNEL_LOG, line + 7, len - 8) < 0)
		put(report.console, line, len);
}

/* Complete lines as they were formatted. */
static struct str kept;
static bool is_keeping;

void report_log(const char *fmt, ...)
{
	char line[LINE_SIZE];
	size_t len = FORMAT_REST(line, "ktstr: ", fmt);

	if (is_keeping)
		str_addn(&kept, line, len);
	else
		send_log(line, len);
}

void report_keep_logs(void)
{
	is_keeping = true;
}

void report_send_logs(void)
{
	is_keeping = false;
	text_each_line(line, str_get(&kept))
		send_log(line.s, line.len + 1);
	str_finish(&kept);
}

bool report_has_room(uint64_t *sent, size_t len, unsigned int part)
{
	const struct channel_header *h = report.channel.header;

	if (!h || h->flags & CHANNEL_LIVE_READER)
		return h;
	if (*sent + len > h->capacity / part)
		return false;
	*sent += len;
	return true;
}

size_t report_free(void)
{
	const struct channel_header *h = report.channel.header;
	uint64_t taken;

	if (!h || h->flags & CHANNEL_LIVE_READER)
		return SIZE_MAX;
	taken = h->write_pos + h->capacity / REST_PART;
	return taken < h->capacity ? (size_t)(h->capacity - taken) : 0;
}

void report_pieces(uint32_t type, const struct str *text)
{
	for (size_t at = 0; at < text->len; at += TEXT_FRAME)
		channel_send(&report.channel, type, text->s + at, MIN(text->len - at, TEXT_FRAME));
}

void report_output(uint32_t type, const void *data, size_t len)
{
	static uint64_t sent;

	if (!report_has_channel())
		put(report.control, data, len);
	else if (!report_has_room(&sent, len, OUTPUT_PART) ||
		 channel_send(&report.channel, type, data, len) < 0)
		report.lost_bytes += len;
}

void report_lost_output(void)
{
	if (report.lost_bytes)
		channel_send(&report.channel, CHANNEL_LOST, &report.lost_bytes,
			     sizeof(report.lost_bytes));
}

void report_result(const char *text, size_t len)
{
	if (report_has_channel()) {
		if (len)
			channel_send(&report.channel, CHANNEL_TEST_RESULT, text, len);
		return;
	}
	/*
	 * Even without a result: the last pair counts, and a program may have printed one
	 * itself.
	 */
	report_line(GUEST_RESULT_START);
	put(report.control, text, len);
	report_line("\n" GUEST_RESULT_END);
}

void report_crash(const char *text, size_t len)
{
	static const int *const ports[] = { &report.control, &report.console };

	channel_send_urgent(&report.channel, CHANNEL_CRASH, text, len);
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		put(*ports[i], GUEST_LINE_PANIC, strlen(GUEST_LINE_PANIC));
		put(*ports[i], text, len);
		put(*ports[i], "\n", 1);
	}
}

void report_fatal(const char *fmt, ...)
{
	char line[LINE_SIZE];
	size_t len = FORMAT_REST(line, "", fmt);

	report_crash(line, len - 1);
	report_line(GUEST_LINE_EXIT "1");
	report_reboot();
}

void report_drain(void)
{
	if (report.control >= 0)
		tcdrain(report.control);
	if (report.console >= 0)
		tcdrain(report.console);
}

void report_reboot(void)
{
	report_drain();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}
