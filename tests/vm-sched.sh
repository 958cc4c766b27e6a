# Running payloads under schedulers in guests, for tests of what can happen to them.
# shellcheck shell=bash disable=SC2154
. "$(dirname "${BASH_SOURCE[0]}")/vm-lib.sh"

guest_run=$SRCDIR/build/tests/fixtures/guest_run
scx=$SRCDIR/build/scx-ktstr
[ -x "$scx" ] || skip 'scx-ktstr was not built (scripts/setup bpf)'

# sched NAME PAYLOAD [OPTION...] [-- SCHEDULER...]: one run in a directory of its
# name; its files are there afterwards. The payload's lines are commands.
sched() {
	case=$1
	local payload=${2//$'\n'/;}
	shift 2
	mkdir -p "$tmp/$case"
	cd "$tmp/$case" || exit
	"$guest_run" "$VM_KERNEL" "${VM_ACCEL:-sim}" 1,2,1,1 "$payload" -i "$scx" "$@" 2>errors ||
		fail "$case: $(cat errors)"
}

# expect_report FILTER VALUE: what the report says.
expect_report() {
	local value

	[ -f report.json ] || fail "$case: no report; $(cat outcome control)"
	value=$(jq -r "$1" report.json)
	[ "$value" = "$2" ] ||
		fail "$case: $1 is '$value', not '$2': $(cat report.json)"$'\n'"$(cat log 2>/dev/null)"
}

expect_outcome() {
	[ "$(head -n 1 outcome)" = "$1" ] || fail "$case: ended with '$(cat outcome)', not '$1'"
}

expect_text() {
	grep -qF -- "$2" "$1" || fail "$case: '$2' is not in $1:"$'\n'"$(cat "$1")"
}
