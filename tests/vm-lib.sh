# For tests that boot machines: one cache of kernels and templates for all of them,
# kept between runs below the build directory.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VM_KERNEL=${VM_KERNEL:-7.0}
XDG_CACHE_HOME=$SRCDIR/build/vm-cache
KTSTR_LOCK_DIR=$SRCDIR/build/vm-locks
export XDG_CACHE_HOME KTSTR_LOCK_DIR
mkdir -p "$XDG_CACHE_HOME" "$KTSTR_LOCK_DIR"

command -v "${KTSTR_QEMU:-qemu-system-x86_64}" >/dev/null ||
	skip 'QEMU is not installed (scripts/setup vm)'
[ "$(uname -m)" = x86_64 ] || skip 'these tests boot x86_64 kernels'

# The kernel, downloaded once; without the archive there is nothing to boot.
vm_fetch() {
	"$KTSTR" kernel fetch "$VM_KERNEL" >"$tmp/fetch.log" 2>&1 ||
		skip "no kernel to boot: $(tail -n 1 "$tmp/fetch.log")"
}

# shell ARG...: `ktstr shell` on that kernel; $rc, $out and $err as run() leaves them.
shell() {
	run "$KTSTR" shell --quiet --kernel "$VM_KERNEL" "$@"
}

