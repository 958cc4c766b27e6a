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

# rows VERDICT [EACH]: scheduler, tests, text and explanation of each row of tests/schedulers/expect, between
# tabs; at most EACH of those below one heading.
rows() {
	awk -F ' *[|] ' -v OFS='\t' -v verdict="$1" -v each="${2:-1000}" '
		/^#/ { count = 0 }
		!/^#/ && $4 == verdict && count++ < each { print $1, $2, $3, $5 }
	' "$SRCDIR/tests/schedulers/expect"
}

# first_line TEXT: the first thing that a failure says.
first_line() {
	sed -n '/ failed:$/ { n; s/^ *//; p; q }' <<<"$1"
}

# explained SCHEDULER TEXT WHAT: whether the story in a failure has this line of the scheduler's source.
explained() {
	local story source=$SRCDIR/tests/schedulers/$1.bpf.c numbers number

	story=$(sed -n '/^ *--- auto-repro ---$/,$p' <<<"$2")
	grep -q 'digest: [0-9a-f]*, the same run as the one that failed' <<<"$story" || return 1
	if [[ $3 == '~'* ]]; then
		grep -Eq -- "${3#'~'}" <<<"$story"
		return
	fi
	numbers=$(grep -nF -- "$3" "$source" | cut -d : -f 1)
	for number in $numbers; do
		! grep -qF -- "$1.bpf.c:$number  " <<<"$story" || return 0
	done
	return 1
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
