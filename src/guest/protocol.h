/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between host and guest besides the channel: words on the kernel command
 * line, files in the guest, lines on the serial ports.
 *
 * The life of a guest:
 *
 *	boot → mounts, checks, topology → [template: KTSTR_READY, wait for input,
 *	unpack it] → run by KTSTR_MODE → EXIT frame, [sim: stop], exit line → reboot
 *
 * A simulator guest with a scheduler is saved a second time. Its template gets an archive
 * with KTSTR_PREPARE, starts the scheduler and continues until that is about to register,
 * with all programs loaded and verified; then it is ready again:
 *
 *	... wait for input, unpack it → scheduler started, stopped at the system call that
 *	registers it → KTSTR_READY, wait for input, unpack it → run by KTSTR_MODE
 *
 * Mode run, in this order; steps without file or setting are left out:
 *
 *	GUEST_SCHED_ENABLE_FILE → cgroup parent → scheduler started, attached
 *	(CHANNEL_SCHED_ATTACHED) → payload → CHANNEL_TEST_RESULT from GUEST_RESULT_FILE →
 *	scheduler detached → GUEST_SCHED_DISABLE_FILE → CHANNEL_SCHED_LOG,
 *	CHANNEL_SCHED_DUMP, CHANNEL_SCHED_REPORT → CHANNEL_COVERAGE
 *
 * The payload does not run if the scheduler does not attach: the report says why, and the
 * run's status is GUEST_STATUS_NO_SCHEDULER.
 *
 * A setting is looked up in GUEST_RUN_FILE (part of the per-run archive), then in
 * GUEST_BASE_FILE, then on the kernel command line. A cold boot gets the per-run archive as
 * the second half of its initramfs, a restored guest through the channel's input area: the
 * same bytes, the same files.
 */
#ifndef KTSTR_GUEST_PROTOCOL_H
#define KTSTR_GUEST_PROTOCOL_H

/* Settings, as NAME=VALUE words of the command line or lines of the two files. */
#define GUEST_MODE "KTSTR_MODE"		  /* one of GUEST_MODE_* */
#define GUEST_ACCEL "KTSTR_ACCEL"	  /* kvm, tcg or sim */
#define GUEST_TOPOLOGY "KTSTR_TOPO"	  /* nodes,llcs,cores per llc,threads per core */
#define GUEST_NODES "KTSTR_NODES"	  /* llcs:MiB of each node, commas; default all alike */
#define GUEST_DISTANCES "KTSTR_DISTANCES" /* matrix by rows, commas; default 10 and 20 */
#define GUEST_TEMPLATE "KTSTR_TEMPLATE"	  /* 1 = wait for input at the ready point */
#define GUEST_PREPARE "KTSTR_PREPARE"	  /* 1 = start the scheduler, then wait for input again */
#define GUEST_TERM "KTSTR_TERM"
#define GUEST_COLORTERM "KTSTR_COLORTERM"
#define GUEST_COLUMNS "KTSTR_COLS"
#define GUEST_ROWS "KTSTR_ROWS"
#define GUEST_DISK "KTSTR_DISK"	     /* 1 = there is a disk: make it available as /dev/vda */
#define GUEST_SEED "KTSTR_SEED"	     /* decimal */
#define GUEST_SLICE "KTSTR_SLICE_US" /* sim: maximum turn of a vCPU */
#define GUEST_JITTER "KTSTR_JITTER"  /* sim: 1 = slice and delays from the seed */
#define GUEST_DELAYS "KTSTR_DELAYS"  /* sim: random delays per second */
#define GUEST_WAKE_DELAYS "KTSTR_WAKE_DELAYS_US" /* sim: maximum delay of wakeups */
#define GUEST_OBSERVE "KTSTR_OBSERVE"	/* 0 = scheduling events are not counted in this run */
#define GUEST_PROBES "KTSTR_PROBES"	/* attach probes, also to these functions: "-" or a,b */
#define GUEST_STRATEGY "KTSTR_STRATEGY" /* sim: which task goes first, see order.h */
#define GUEST_DEPTH "KTSTR_DEPTH"	/* of the strategy */
#define GUEST_EVENTS "KTSTR_EVENTS"	/* scheduling events of a run; unset = unknown */
#define GUEST_LIBRARY_PATH "KTSTR_LIBRARY_PATH" /* LD_LIBRARY_PATH of programs */

#define GUEST_WALL_NS "KTSTR_WALL_NS" /* time of day for a restored guest; unset = keep */

#define GUEST_SCHED_ATTACH_S "KTSTR_SCHED_ATTACH_S" /* guest seconds; default by boot */
#define GUEST_SCHED_PROGRAM_FACTOR 2 /* if unset: factor of the limit for a further program */
#define GUEST_SCHED_ATTACH_FACTOR 4  /* and for all of them */
#define GUEST_SCHED_RETURN_S "KTSTR_SCHED_RETURN_S" /* maximum absence; unset = as for attaching */
#define GUEST_SCHED_CGROUP "KTSTR_SCHED_CGROUP"	    /* created below /sys/fs/cgroup */
#define GUEST_SCHED_WATCHDOG_S "KTSTR_SCHED_WATCHDOG_S" /* stall limit; unset = unchanged */

/*
 * Guest seconds after which the payload gets GUEST_LIMIT_SIGNAL, and SIGKILL two seconds
 * later; unset = no limit. In the simulator, that is the same moment in every run.
 */
#define GUEST_LIMIT_S "KTSTR_LIMIT_S"
#define GUEST_LIMIT_SIGNAL 24 /* SIGXCPU */

#define GUEST_MODE_SHELL "shell" /* interactive, on GUEST_SHELL_TTY */
#define GUEST_MODE_EXEC "exec"	 /* busybox sh -c, text from GUEST_EXEC_FILE */
#define GUEST_MODE_RUN "run"	 /* the program and arguments of GUEST_ARGS_FILE */

/* Files. */
#define GUEST_INIT "/init"
/*
 * As a payload: GUEST_INIT GUEST_SPIN MILLISECONDS. One worker per online CPU spins that
 * long in SCHED_EXT (in the fair class if there is none) and prints a line "worker N:
 * CPU_MS ms on a CPU". The status is 0 if every worker ran, else 1.
 */
#define GUEST_SPIN "--ktstr-spin"
#define GUEST_BUSYBOX "/bin/busybox"
#define GUEST_OBSERVER "/ktstr-observe" /* loads the BPF programs that count events */
#define GUEST_OBSERVE_PROBLEM "/run/ktstr-observe-problem" /* why they do not count */
#define GUEST_PROBE_DIR "/run/ktstr-probes"
#define GUEST_PROBE_PROBLEM "/run/ktstr-probe-problem" /* why there are none */
#define GUEST_INCLUDE_DIR "/include-files"
#define GUEST_ARGS_FILE "/args" /* one argument per line, the program first */
#define GUEST_EXEC_FILE "/exec_cmd"
#define GUEST_DISK_DRIVER "/virtio_blk.ko" /* to be loaded before the disk appears */
#define GUEST_ENV_FILE "/env"		   /* NAME=VALUE lines for programs */
#define GUEST_CONFIG "/boot/config" /* the kernel's; renamed to GUEST_CONFIG-RELEASE first of all */
#define GUEST_SCHEDULER "/scheduler"
/*
 * If this file exists, there is a scheduler to start: its program and arguments, each
 * terminated by a NUL byte, so that they may contain anything else. The program is usually
 * GUEST_SCHEDULER or a file below GUEST_INCLUDE_DIR.
 */
#define GUEST_SCHED_ARGS "/sched-args"
#define GUEST_SCHED_ENABLE_FILE "/sched_enable"	   /* text for busybox sh -c, before */
#define GUEST_SCHED_DISABLE_FILE "/sched_disable"  /* and after */
#define GUEST_RESULT_FILE "/run/ktstr-result.json" /* = PROGRAM_GUEST_RESULT */

/*
 * Where instrumented programs leave their profiles: after the last program has ended, each
 * file is sent as a CHANNEL_COVERAGE frame. Files are named after the program (%m), so that
 * its processes add up.
 */
#define GUEST_PROFILE_DIR "/run/ktstr-profiles"
#define GUEST_PROFILE_VARIABLE "LLVM_PROFILE_FILE=" GUEST_PROFILE_DIR "/%m.profraw"

/*
 * Between init and a payload whose scheduler has ended (guest/sched_presence.h). Init
 * writes ENDED (the report's JSON) as soon as it notices; a payload that still runs after
 * GUEST_SCHED_GRACE_MS of guest time gets SIGTERM, and SIGKILL after as much again. A
 * payload that ends the scheduler on purpose creates RELEASED first: then its end is
 * expected, and the payload gets no signal.
 */
#define GUEST_SCHED_ENDED "/run/ktstr-sched-ended"
#define GUEST_SCHED_RELEASED "/run/ktstr-sched-released"
#define GUEST_SCHED_GRACE_MS 2000
#define GUEST_SCHED_PID "SCHED_PID" /* environment of the payload */
#define GUEST_BASE_FILE "/.ktstr_base"
#define GUEST_RUN_FILE "/.ktstr_run"
#define GUEST_INIT_OK "/.ktstr_init_ok"	    /* last file of every initramfs */
#define GUEST_STALL_FILE "/tmp/ktstr_stall" /* the host asked for a stall */

/* Serial ports: the kernel's console, and that of ktstr. */
#if defined(__aarch64__)
#define GUEST_KERNEL_TTY "/dev/ttyAMA0"
#define GUEST_SHELL_TTY "/dev/ttyAMA1"
#else
#define GUEST_KERNEL_TTY "/dev/ttyS0"
#define GUEST_SHELL_TTY "/dev/ttyS1"
#endif
#define GUEST_VIRTIO_TTY "/dev/hvc0" /* used for the shell if the kernel has it */

/*
 * Lines on GUEST_SHELL_TTY. They are the fallback if there is no channel; with a channel,
 * the host relies on frames. Exit lines are always written, except that for an interactive
 * shell and in the simulator they are written only without a channel.
 */
#define GUEST_LINE_STARTED "KTSTR_INIT_STARTED" /* not in shell mode */
#define GUEST_LINE_READY "KTSTR_READY"		/* template: save the guest now */
#define GUEST_LINE_PAYLOAD "KTSTR_PAYLOAD_STARTING"
#define GUEST_LINE_EXEC_EXIT "KTSTR_EXEC_EXIT=" /* status of --exec */
#define GUEST_LINE_EXIT "KTSTR_EXIT="		/* status of the run */
#define GUEST_LINE_PANIC "PANIC: "		/* also on GUEST_KERNEL_TTY */
#define GUEST_RESULT_START "===KTSTR_TEST_RESULT_START==="
#define GUEST_RESULT_END "===KTSTR_TEST_RESULT_END==="

/*
 * After GUEST_LINE_READY the guest writes to QEMU's pvpanic port: with the action
 * panic=pause, the VM stops right there, and QMP reports it. A simulator guest ends its run
 * in the same way, after the EXIT frame.
 */
#define GUEST_PAUSE_PORT 0x505
#define GUEST_PAUSE_VALUE 1

/*
 * CHANNEL_SCHED_REPORT, one JSON object; null = unknown or not applicable:
 *
 *	{ "end": one of GUEST_SCHED_END_*,
 *	  "message": a sentence,
 *	  "started": bool,	the program could be executed
 *	  "pid": n,		of the scheduler, or of the process that it forked
 *	  "forked_away": bool,	the program exited with 0 and left the work to another
 *	  "attached": bool, "ops": name, "attach_ns": from start to attached,
 *	  "stage": "attach" | "payload" | "detach",	when it ended
 *	  "ended_ns": since the start of the payload,
 *	  "exit_code": n, "signal": n,	of the process
 *	  "released": bool,	the payload ended it itself
 *	  "payload_signal": n,	sent to the payload because the scheduler had ended
 *	  "absences": [{ "left_ns", "away_ns", "reason" }],	after which it was back;
 *			left_ns: since the start of the payload
 *	  "absence_count": n,	including those that are not listed
 *	  "exit": null | { "kind": n, "reason": s, "message": s, "source": "kernel log" |
 *			   "scheduler log" | "dump" },
 *	  "watchdog": null | { "requested_s", "previous_ms", "written_ms", "problem" },
 *	  "programs": [{ "name", "verified_insns" }],
 *	  "nr_rejected": n, "enable_seq": n,	of /sys/kernel/sched_ext at the end
 *	  "log_bytes": n, "log_omitted_bytes": n,
 *	  "dump_bytes": n, "dump_omitted_bytes": n }
 *
 * CHANNEL_SCHED_LOG and CHANNEL_SCHED_DUMP are the texts themselves, if not empty, in one
 * or more frames; of a long text, head and tail are kept, with a line between them that says
 * how much is missing. CHANNEL_SCHED_ATTACHED is "ops=NAME\npid=N\nattach_ns=N\n".
 * CHANNEL_SCHED_EXIT (i32: exit code, minus the signal, or 0 if the kernel ejected it) is
 * sent as soon as the scheduler is gone unexpectedly.
 */
/*
 * CHANNEL_PROBE_REPORT, one JSON object, and CHANNEL_PROBE_RECORDS: what the loader of the probes
 * wrote (bpf/observe_probes.c), or { "problem": why it did not }:
 *
 *	{ "exit_ns", "exit_kind",	of the scheduler; 0 = it was not ejected
 *	  "records",	events, including lost ones
 *	  "lost_calls",
 *	  "functions": [{ "name", "op", "file", "line", "program" }],	by their numbers in records
 *	  "dropped": [{ "name", "reason" }] }
 */

#define GUEST_SCHED_END_RAN "ran"		    /* to the end, and exited on request */
#define GUEST_SCHED_END_KILLED "killed"		    /* to the end, but had to be killed */
#define GUEST_SCHED_END_NOT_STARTED "not_started"   /* the program could not be executed */
#define GUEST_SCHED_END_VERIFIER "verifier"	    /* its programs were rejected */
#define GUEST_SCHED_END_DIED "died"		    /* the process; see exit_code, signal */
#define GUEST_SCHED_END_NOT_ATTACHED "not_attached" /* alive, but did not attach in time */
#define GUEST_SCHED_END_UNREGISTERED "unregistered" /* exit kinds 64 to 68 while it should run */
#define GUEST_SCHED_END_ERROR "error"		    /* exit kinds 1024, 1025 */
#define GUEST_SCHED_END_STALLED "stalled"	    /* exit kind 1026 */
#define GUEST_SCHED_END_RELEASED "released"	    /* by the payload, on purpose */

#define GUEST_STATUS_NO_SCHEDULER 125

#endif
