# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2317
# ---- the same in every exported test ----

usage() {
	cat <<END
Runs the test $KTSTR_TEST_NAME on this machine, as root, under $KTSTR_SCHED_NAME.

usage: ${0##*/} [OPTION...]
  --duration TIME          how long its load runs (5, 2.5s, 500ms, 1m) [$TEST_DURATION_SECS s]
  --watchdog-timeout TIME  a test that is not over after four times that and this much
                           more is ended [$TEST_WATCHDOG_SECS s]
  --quiet                  only errors and the verdict
  --help                   this text

Ends with 0 when it passed, 1 when it failed or cannot run here, 2 for a wrong option,
3 when it was inconclusive, 4 when it was skipped, 130 when interrupted.
END
}

wrong_option() {
	echo "error: $*" >&2
	echo "Try ${0##*/} --help." >&2
	exit 2
}

note() {
	[ "$is_quiet" = 1 ] || echo "$*" >&2
}

# to_ms OPTION TIME
to_ms() {
	case $2 in
	*ms) number=${2%ms} unit=1 ;;
	*s) number=${2%s} unit=1000 ;;
	*m) number=${2%m} unit=60000 ;;
	*) number=$2 unit=1000 ;;
	esac
	case $number in
	'' | *[!0-9.]* | *.*.* | .* | *. | ?????????*) ms=0 ;;
	*) ms=$(awk "BEGIN { printf \"%.0f\", $number * $unit }") ;;
	esac
	[ "$ms" -gt 0 ] || wrong_option "$1 needs a time above 0, such as 5, 2.5s or 500ms: '$2'"
	echo "$ms"
}

read_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		--duration=* | --watchdog-timeout=*)
			word=$1
			shift
			set -- "${word%%=*}" "${word#*=}" "$@"
			;;
		esac
		case $1 in
		--duration | --watchdog-timeout)
			[ $# -ge 2 ] || wrong_option "$1 needs a time"
			ms=$(to_ms "$1" "$2") || exit 2
			if [ "$1" = --duration ]; then duration_ms=$ms; else watchdog_ms=$ms; fi
			shift
			;;
		--quiet) is_quiet=1 ;;
		--help)
			usage
			exit 0
			;;
		*) wrong_option "unknown option '$1'" ;;
		esac
		shift
	done
}

# ---- whether it can run here ----

problem() {
	echo "error: $*" >&2
	has_problem=1
}

check_root() {
	[ "$(id -u)" = 0 ] || problem "$KTSTR_TEST_NAME needs root: run it with sudo"
}

check_sched_ext() {
	[ "$NEED_SCHED_EXT" = 0 ] || [ -d /sys/kernel/sched_ext ] ||
		problem "this kernel ($(uname -r)) has no sched_ext, which the scheduler" \
			"$KTSTR_SCHED_NAME needs: CONFIG_SCHED_CLASS_EXT, Linux 6.12 or newer"
}

check_cgroup2() {
	cgroup_mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ -z "$cgroup_mount" ]; then
		problem "no cgroup2 is mounted here: mount -t cgroup2 none /sys/fs/cgroup"
		return
	fi
	for controller in cpuset cpu; do
		grep -qw "$controller" "$cgroup_mount/cgroup.controllers" ||
			problem "the cgroup2 tree at $cgroup_mount has no $controller controller:" \
				"boot with systemd.unified_cgroup_hierarchy=1"
	done
}

sched_ext_state() {
	cat /sys/kernel/sched_ext/state 2>/dev/null || echo disabled
}

check_attached() {
	[ "$(sched_ext_state)" = disabled ] ||
		problem "another scheduler is attached:" \
			"$(cat /sys/kernel/sched_ext/root/ops 2>/dev/null || echo '(no name)');" \
			"stop it first"
}

# What settings this test needs is not ours to change on a machine that is no VM.
check_settings() {
	for setting in $NEED_SYSCTLS; do
		file=/proc/sys/$(echo "${setting%%=*}" | tr . /)
		value=$(cat "$file" 2>/dev/null || echo '(missing)')
		[ "$value" = "${setting#*=}" ] ||
			problem "${setting%%=*} is $value here: sysctl -w $setting"
	done
	for word in $NEED_KARGS; do
		case " $(cat /proc/cmdline) " in
		*" $word "*) ;;
		*) problem "the kernel was not booted with $word" ;;
		esac
	done
}

# A line for each CPU that is online: its LLC, its core.
list_cpus() {
	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		online=1 llc='' highest=0 core=$cpu
		[ ! -r "$cpu/online" ] || read -r online <"$cpu/online"
		[ "$online" = 1 ] || continue
		for index in "$cpu"/cache/index*; do
			[ -r "$index/level" ] || continue
			read -r level <"$index/level"
			[ "$level" -ge "$highest" ] || continue
			highest=$level
			read -r llc <"$index/shared_cpu_list" || :
		done
		[ -n "$llc" ] || read -r llc <"$cpu/topology/physical_package_id" || llc=0
		read -r core <"$cpu/topology/thread_siblings_list" || :
		echo "$llc $core"
	done
}

# How many LLCs have as many cores as are needed, with as many threads.
count_fitting_llcs() {
	list_cpus | awk -v cores="$NEED_CORES_PER_LLC" -v threads="$NEED_THREADS_PER_CORE" '
		++cpus[$1 " " $2] == threads { full[$1]++ }
		END { for (llc in full) fitting += full[llc] >= cores; print fitting + 0 }'
}

count_nodes() {
	nodes=0
	for node in /sys/devices/system/node/node[0-9]*; do
		[ ! -d "$node" ] || nodes=$((nodes + 1))
	done
	[ "$nodes" -gt 0 ] || nodes=1
	echo "$nodes"
}

check_topology() {
	fitting=$(count_fitting_llcs)
	[ "$fitting" -ge "$NEED_LLCS" ] ||
		problem "this machine is too small: the test needs $NEED_LLCS LLCs with" \
			"$NEED_CORES_PER_LLC cores of $NEED_THREADS_PER_CORE threads each, and" \
			"$fitting are like that"
	nodes=$(count_nodes)
	[ "$nodes" -ge "$NEED_NUMA_NODES" ] ||
		problem "the test needs $NEED_NUMA_NODES NUMA nodes, and this machine has $nodes"
}

preflight() {
	has_problem=0
	check_root
	check_sched_ext
	check_cgroup2
	check_attached
	check_topology
	check_settings
	[ "$has_problem" = 0 ] || exit 1
}

# ---- the run ----

pause() {
	sleep 0.1 2>/dev/null || sleep 1
}

is_alive() {
	[ -n "$1" ] && kill -0 "$1" 2>/dev/null
}

# end_process PID: asked first, and killed after some seconds.
end_process() {
	kill -TERM "$1" 2>/dev/null || return 0
	tries=50
	while is_alive "$1" && [ "$tries" -gt 0 ]; do
		pause
		tries=$((tries - 1))
	done
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

clean_up() {
	[ -z "$body" ] || end_process "$body"
	[ -z "$scheduler" ] || end_process "$scheduler"
	[ -z "$made_cgroup" ] || rmdir "$made_cgroup" 2>/dev/null
	[ -z "$dir" ] || rm -rf "$dir"
}

unpack() {
	dir=$(mktemp -d "${TMPDIR:-/tmp}/ktstr-export.XXXXXX") || exit 1
	if ! tail -n +"$ARCHIVE_LINE" "$0" | gzip -dc | tar -xf - -C "$dir" || ! [ -x "$dir/test" ]; then
		echo "error: $0 is damaged, or there is no room in $dir" >&2
		exit 1
	fi
	include_path=$(find "$dir/include-files" -type d 2>/dev/null | tr '\n' ':')
}

show_scheduler_log() {
	echo "--- scheduler log ---" >&2
	tail -n 40 "$dir/scheduler.log" >&2
}

scheduler_problem() {
	echo "error: the scheduler $KTSTR_SCHED_NAME $*" >&2
	show_scheduler_log
}

make_cgroup() {
	[ -n "$SCHED_CGROUP" ] && [ ! -d "$cgroup_mount$SCHED_CGROUP" ] || return 0
	mkdir -p "$cgroup_mount$SCHED_CGROUP" || exit 1
	made_cgroup=$cgroup_mount$SCHED_CGROUP
}

start_scheduler() {
	scheduler_words printf '%s\0' >"$dir/sched-args"
	scheduler_words exec >"$dir/scheduler.log" 2>&1 &
	scheduler=$!
	tries=$((TEST_ATTACH_SECS * 10))
	until [ "$(sched_ext_state)" = enabled ]; do
		if ! is_alive "$scheduler"; then
			scheduler_problem "ended before it was attached"
			exit 1
		fi
		if [ "$tries" = 0 ]; then
			scheduler_problem "was not attached within $TEST_ATTACH_SECS s"
			exit 1
		fi
		tries=$((tries - 1))
		pause
	done
	note "$KTSTR_SCHED_NAME is attached"
	# For the body: whom to watch, how to start it again, where to say that its end is wanted.
	export SCHED_PID="$scheduler" KTSTR_SCHED_ARGS="$dir/sched-args"
	export KTSTR_SCHED_RELEASED="$dir/released"
}

run_body() {
	limit_s=$(((4 * duration_ms + watchdog_ms + 999) / 1000))
	PATH=$include_path$PATH timeout -k 5 "$limit_s" "$dir/test" --ktstr-body "$KTSTR_TEST_NAME" \
		--duration-ms "$duration_ms" --result "$dir/result" &
	body=$!
	wait "$body"
	status=$?
	body=''
	case $status in
	0 | 1 | 2) ;;
	124 | 137) echo "error: the test was not over after $limit_s s and was ended" >&2 ;;
	*) echo "error: the test ended with status $status" >&2 ;;
	esac
}

# A scheduler that is gone without the body's doing is a failure, whatever the body saw.
check_scheduler() {
	[ "$status" = 0 ] && [ "$TEST_EXPECTS_ERROR" = 0 ] && [ ! -e "$dir/released" ] || return 0
	if ! is_alive "$scheduler"; then
		scheduler_problem "ended during the test"
		status=1
	elif [ "$(sched_ext_state)" != enabled ]; then
		scheduler_problem "was detached by the kernel during the test"
		status=1
	fi
}

tell_verdict() {
	if [ "$status" = 0 ] && grep -q '^{"schema_version":[0-9]*,"verdict":"skip"' "$dir/result"; then
		status=skipped
	fi
	case $status in
	0) echo "PASS $KTSTR_TEST_NAME" ;;
	2) echo "INCONCLUSIVE $KTSTR_TEST_NAME" && exit 3 ;;
	skipped) echo "SKIP $KTSTR_TEST_NAME" && exit 4 ;;
	*) echo "FAIL $KTSTR_TEST_NAME" && exit 1 ;;
	esac
}

is_quiet=0 dir='' body='' scheduler='' made_cgroup='' include_path=''
duration_ms=$(to_ms --duration "$TEST_DURATION_SECS") || exit 1
watchdog_ms=$(to_ms --watchdog-timeout "$TEST_WATCHDOG_SECS") || exit 1
read_options "$@"
preflight
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
unpack
make_cgroup
[ "$NEED_SCHED_EXT" = 0 ] || start_scheduler
note "$KTSTR_TEST_NAME runs for $duration_ms ms under $KTSTR_SCHED_NAME"
run_body
[ "$NEED_SCHED_EXT" = 0 ] || check_scheduler
tell_verdict
exit 0
# The archive begins here.
