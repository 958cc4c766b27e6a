# For tests with the schedulers of tests/schedulers: where they are, on which kernels they run,
# and one test of tests/vm/programs/strangers.c under one of them.
# shellcheck shell=bash disable=SC2034,SC2154
. "$(dirname "${BASH_SOURCE[0]}")/vm-lib.sh"

schedulers=$SRCDIR/build/tests/schedulers
[ -x "$schedulers/fifo" ] || skip 'the schedulers of tests/schedulers are not built (scripts/setup bpf)'
# One kernel in check, all of them in soak.
kernels=("$VM_KERNEL")
[ -z "${KTSTR_SOAK:-}" ] || kernels=(6.19 7.0 7.2)
program=$SRCDIR/tests/vm/programs/strangers.c

# Their names, a line each.
strangers() {
	local source

	for source in "$SRCDIR"/tests/schedulers/*.bpf.c; do
		basename "$source" .bpf.c
	done
}

# rows VERDICT [EACH]: scheduler, tests and text of each row of tests/schedulers/expect, between
# tabs; at most EACH of those below one heading.
rows() {
	awk -F ' *[|] ' -v OFS='\t' -v verdict="$1" -v each="${2:-1000}" '
		/^#/ { count = 0 }
		!/^#/ && $4 == verdict && count++ < each { print $1, $2, $3 }
	' "$SRCDIR/tests/schedulers/expect"
}

# first_line TEXT: the first thing that a failure says.
first_line() {
	sed -n '/ failed:$/ { n; s/^ *//; p; q }' <<<"$1"
}

# test_under SCHEDULER FILTER OPTION...: leaves tests.jsonl, a line for each test that ran.
test_under() {
	local scheduler=$1 filter=$2

	shift 2
	export KTSTR_SCHEDULER=$schedulers/$scheduler
	run "$KTSTR" test --quiet --accel sim --no-fail-fast --format json -E "$filter" "$@" "$program"
	jq -c 'select(.event == "test-finished")' "$out_file" >tests.jsonl 2>/dev/null || :
	[ -s tests.jsonl ] || fail "$scheduler: no test ran"$'\n'"$(came)"
}
