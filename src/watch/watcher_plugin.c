// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's connections to the watcher: a plugin that stops the guest, or a gdb stub. */
#include "watch/parts.h"

#include <sys/socket.h>

#include "trace/trace.h"

static void add_blocks(struct watcher *w)
{
	w->plugin.fds[w->plugin.fd_count++] = w->blocks->fd;
	str_addf(&w->option, ",blocks_fd=%x,stop_program=%llx", (unsigned int)w->blocks->fd,
		 ULL(w->layout.symbols[SYM_PROG_EVENT]));
}

int watcher_open_plugin(struct watcher *w)
{
	uint64_t exit_call = w->layout.symbols[SYM_SCX_EXIT]		   ?:
				     w->layout.symbols[SYM_SCX_EXIT_OUTER] ?:
				     w->layout.symbols[SYM_SCX_EXIT_OLD];
	int ends[2], plugin;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(errno, "create a socket for stops of the guest");
	w->ours = ends[0];
	w->plugin.fds[1] = ends[1];
	plugin = plugin_file_open(&w->session->spec);
	if (plugin < 0)
		return plugin;
	w->plugin.fds[0] = plugin;
	w->plugin.fd_count = 2;
	str_addf(&w->option, "file=/proc/self/fd/%d,stop_fd=%x", plugin,
		 (unsigned int)w->plugin.fds[1]);
	if (!w->is_exact)
		str_add(&w->option, ",stop_threads=1");
	if (w->plan.wish.watch_count)
		str_add(&w->option, ",stop_watch=1");
	if (exit_call)
		str_addf(&w->option, ",stop_call=%llx", ULL(exit_call));
	if (w->blocks)
		add_blocks(w);
	w->plugin.option = str_get(&w->option);
	w->plugin.arguments = strstr(w->plugin.option, "stop_fd");
	return str_check(&w->option);
}

int watcher_open_stub(struct watcher *w)
{
	int rc = stub_open(&w->stub);

	w->stub.stops_before = w->session->spec.arch == VM_ARCH_AARCH64;
	w->plugin.gdb_fd = w->plugin.fds[0] = w->stub.theirs;
	w->plugin.fd_count = 1;
	return rc;
}
