/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host and guest agree on besides the channel: words on the kernel command
 * line, files in the guest, lines on the serial ports.
 *
 * One life of a guest:
 *
 *	boot → mounts, checks, topology → [template: KTSTR_READY, wait for input,
 *	unpack it] → run by KTSTR_MODE → EXIT frame, exit line → reboot
 *
 * A setting is looked up in GUEST_RUN_FILE (it comes with the per-run archive),
 * then in GUEST_BASE_FILE, then on the kernel command line. A cold boot gets the
 * per-run archive as the second half of its initramfs, a restored one through the
 * channel's input area: the same bytes, the same files.
 */
#ifndef KTSTR_GUEST_PROTOCOL_H
#define KTSTR_GUEST_PROTOCOL_H

/* Settings, as NAME=VALUE words of the command line or lines of the two files. */
#define GUEST_MODE "KTSTR_MODE"		  /* one of GUEST_MODE_* */
#define GUEST_TOPOLOGY "KTSTR_TOPO"	  /* nodes,llcs,cores per llc,threads per core */
#define GUEST_DISTANCES "KTSTR_DISTANCES" /* matrix by rows, commas; default 10 and 20 */
#define GUEST_TEMPLATE "KTSTR_TEMPLATE"	  /* 1 = wait for input at the ready point */
#define GUEST_TERM "KTSTR_TERM"
#define GUEST_COLORTERM "KTSTR_COLORTERM"
#define GUEST_COLUMNS "KTSTR_COLS"
#define GUEST_ROWS "KTSTR_ROWS"
#define GUEST_LOG "KTSTR_LOG"
#define GUEST_DISK "KTSTR_DISK" /* 1 = there is one: make sure that /dev/vda names it */
#define GUEST_SEED "KTSTR_SEED" /* of this run, decimal */
#define GUEST_LIBRARY_PATH "KTSTR_LIBRARY_PATH" /* LD_LIBRARY_PATH of what runs */

#define GUEST_MODE_SHELL "shell" /* interactive, on GUEST_SHELL_TTY */
#define GUEST_MODE_EXEC "exec"	 /* busybox sh -c, text from GUEST_EXEC_FILE */
#define GUEST_MODE_RUN "run"	 /* the program and arguments of GUEST_ARGS_FILE */

/* Files. */
#define GUEST_INIT "/init"
#define GUEST_BUSYBOX "/bin/busybox"
#define GUEST_INCLUDE_DIR "/include-files"
#define GUEST_ARGS_FILE "/args" /* one argument per line, the program first */
#define GUEST_EXEC_FILE "/exec_cmd"
#define GUEST_ENV_FILE "/env" /* NAME=VALUE lines for what runs */
#define GUEST_SCHEDULER "/scheduler"
#define GUEST_SCHED_ARGS_FILE "/sched_args"
#define GUEST_SCHED_ENABLE_FILE "/sched_enable"
#define GUEST_SCHED_DISABLE_FILE "/sched_disable"
#define GUEST_BASE_FILE "/.ktstr_base"
#define GUEST_RUN_FILE "/.ktstr_run"
#define GUEST_INIT_OK "/.ktstr_init_ok" /* last file of every initramfs */
#define GUEST_CHANNEL_LOCK "/dev/shm/ktstr-channel-lock"

/* Serial ports: the kernel's console, and ours. */
#define GUEST_KERNEL_TTY "/dev/ttyS0"
#define GUEST_SHELL_TTY "/dev/ttyS1"
#define GUEST_VIRTIO_TTY "/dev/hvc0" /* used for the shell where the kernel has it */

/*
 * Lines on GUEST_SHELL_TTY, each on its own. They are the fallback where there is
 * no channel; with a channel the host believes the frames. The exit lines are
 * always written, but for an interactive shell only without a channel.
 */
#define GUEST_LINE_STARTED "KTSTR_INIT_STARTED" /* not in shell mode */
#define GUEST_LINE_READY "KTSTR_READY"		/* template: now is the time to save */
#define GUEST_LINE_PAYLOAD "KTSTR_PAYLOAD_STARTING"
#define GUEST_LINE_EXEC_EXIT "KTSTR_EXEC_EXIT=" /* status of --exec */
#define GUEST_LINE_EXIT "KTSTR_EXIT="		/* status of the run */
#define GUEST_LINE_PANIC "PANIC: "		/* also on GUEST_KERNEL_TTY */
#define GUEST_RESULT_START "===KTSTR_TEST_RESULT_START==="
#define GUEST_RESULT_END "===KTSTR_TEST_RESULT_END==="

/*
 * Behind GUEST_LINE_READY the guest writes to QEMU's pvpanic port: with the action
 * panic=pause the VM stops right there, and QMP tells of it.
 */
#define GUEST_PAUSE_PORT 0x505
#define GUEST_PAUSE_VALUE 1

/* ivshmem-plain */
#define GUEST_CHANNEL_VENDOR "0x1af4"
#define GUEST_CHANNEL_DEVICE "0x1110"

#endif
