# For tests that boot machines: one cache of kernels and templates for all of them,
# kept between runs below the build directory.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VM_KERNEL=${VM_KERNEL:-7.0}
XDG_CACHE_HOME=$SRCDIR/build/vm-cache
KTSTR_LOCK_DIR=$SRCDIR/build/vm-locks
# Failures are explained where that is what is tested: it takes a second run.
KTSTR_NO_AUTO_REPRO=1
export XDG_CACHE_HOME KTSTR_LOCK_DIR KTSTR_NO_AUTO_REPRO
mkdir -p "$XDG_CACHE_HOME" "$KTSTR_LOCK_DIR"

command -v "${KTSTR_QEMU:-qemu-system-x86_64}" >/dev/null ||
	skip 'QEMU is not installed (scripts/setup vm)'
[ "$(uname -m)" = x86_64 ] || skip 'these tests boot x86_64 kernels'

# The kernel, downloaded once; without the archive there is nothing to boot.
vm_fetch() {
	! is_built "$VM_KERNEL" || return 0
	"$KTSTR" kernel fetch "$VM_KERNEL" >"$tmp/fetch.log" 2>&1 ||
		skip "no kernel to boot: $(tail -n 1 "$tmp/fetch.log")"
}

# $built: kernels with sched_ext from before 6.16, where it had no instances, that somebody has compiled into
# the cache of these tests. No distribution has one. For example, of Debian's package linux-source-6.12, unpacked,
# in a git repository and configured:
#   XDG_CACHE_HOME=build/vm-cache build/ktstr kernel build --source linux-source-6.12
built=()
is_built() {
	local key

	for key in "${built[@]}"; do
		[ "$key" != "$1" ] || return 0
	done
	return 1
}
vm_find_built() {
	mapfile -t built < <("$KTSTR" kernel list --json 2>/dev/null | jq -r '.entries[] |
		select(.scx and (.version // "" | test("^6\\.1[2-5]\\."))).key')
	[ ${#built[@]} -gt 0 ] || skip_part 'kernels before 6.16' \
		'none with sched_ext is in the cache (tests/vm-lib.sh says how to build one)'
}

# $archive: the one of Debian that this machine's apt uses; KTSTR_DEBIAN_URL is another one.
find_archive() {
	# shellcheck disable=SC2016
	archive=${KTSTR_DEBIAN_URL:-$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null |
		sed -n 's/^Debian|Debian|//p' | head -n 1)}
	archive=${archive%/}
	[ -n "$archive" ] || skip 'no archive of Debian is known here'
}

# shell ARG...: `ktstr shell` on that kernel; $rc, $out and $err as run() leaves them.
shell() {
	run "$KTSTR" shell --quiet --kernel "$VM_KERNEL" "$@"
}

# our_processes: the ktstr and QEMU processes of this test, told by its lock directory.
our_processes() {
	local process name

	for process in /proc/[0-9]*; do
		read -r name 2>/dev/null <"$process/comm" || continue
		[[ $name == ktstr || $name == qemu-system* ]] || continue
		# One that is dead and not reaped yet has no environment any more.
		! grep -qsxzF "KTSTR_LOCK_DIR=$KTSTR_LOCK_DIR" "$process/environ" ||
			echo "${process#/proc/} ($name)"
	done
}

# unfinished_files: what somebody who is gone has left half-made in the cache.
unfinished_files() {
	local file maker

	find "${KTSTR_CACHE_DIR:-$XDG_CACHE_HOME}" -name '*.tmp-*' 2>/dev/null | while read -r file; do
		maker=${file##*.tmp-}
		if [ "${file##*/}" = ".tmp-$maker" ] && [ "${maker##*-}" = "$maker" ]; then
			# A kernel on its way into the cache: its writer holds the directory.
			flock -n "$file" test -e "$file" 2>/dev/null && echo "$file"
		elif [ "$maker" = build ]; then
			# Its builder holds this lock; who gets it looks again.
			flock -n "${file%.tmp-build}.lock" test -e "$file" && echo "$file"
		elif [ ! -e "/proc/${maker##*-}" ] && [ -e "$file" ]; then
			echo "$file"
		fi
	done || :
}

# nothing_left WHEN: no process, no held lock, no half-made file. A test that asks has a lock
# directory of its own: private_locks.
nothing_left() {
	local try files

	for try in $(seq 100); do
		[ -n "$(our_processes)" ] || break
		[ "$try" != 100 ] || fail "after $1 these stay: $(our_processes)"
		sleep 0.1
	done
	"$KTSTR" locks --json >"$tmp/.locks"
	jq -e '[.llcs[].holders[], .cpus[].holders[], .queue[]] | length == 0' "$tmp/.locks" >/dev/null ||
		fail "after $1 locks stay: $(cat "$tmp/.locks")"
	# Another test may be filling the same cache.
	for try in $(seq 100); do
		files=$(unfinished_files)
		[ -n "$files" ] || break
		[ "$try" != 100 ] || fail "after $1 files stay: $files"
		sleep 0.1
	done
}

private_locks() {
	export KTSTR_LOCK_DIR=$tmp/locks
	mkdir -p "$KTSTR_LOCK_DIR"
}
