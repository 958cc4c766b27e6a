# Helpers of the command tests. A test sources this file first:
#
#	. "$(dirname "$0")/../lib.sh"
#
# It runs in an empty directory of its own, $tmp, removed at the end. A command
# that fails outside of run() fails the test.
# shellcheck shell=bash

set -eEu -o pipefail

SRCDIR=${SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
KTSTR_BUILD=$(realpath -m "${KTSTR_BUILD:-$SRCDIR/build}")
KTSTR=$(realpath -m "${KTSTR:-$KTSTR_BUILD/ktstr}")
for name in "${!KTSTR_@}" NO_COLOR RUST_LOG RUST_BACKTRACE; do
	case $name in KTSTR_BUILD | KTSTR_LONG | KTSTR_SOAK) ;; *) unset "$name" ;; esac
done
export SRCDIR KTSTR_BUILD KTSTR LC_ALL=C.UTF-8

# Where a failure or a skip is told, also from inside of run().
exec 4>&1

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ktstr-test.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'echo "${0##*/}:$LINENO: failed: $BASH_COMMAND" >&4' ERR
cd "$tmp"

out='' err='' rc=0
out_file=$tmp/.out err_file=$tmp/.err

fail() {
	local frame=0

	while [ "${BASH_SOURCE[$frame]}" != "$0" ] && [ "$frame" -lt $((${#BASH_SOURCE[@]} - 1)) ]; do
		frame=$((frame + 1))
	done
	echo "${0##*/}:${BASH_LINENO[$frame - 1]}: $*" >&4
	exit 1
}

skip() {
	echo "SKIP: $*" >&4
	exit 77
}

# skip_part WHAT REASON: the rest of the test goes on; the runner counts this as one that is skipped.
skip_part() {
	echo "SKIP PART: $1: $2" >&4
}

# run CMD...: leaves $rc, $out and $err; the exact bytes are in $out_file and $err_file.
# shellcheck disable=SC2034
run() {
	command_line=$*
	rc=0
	"$@" </dev/null >"$out_file" 2>"$err_file" || rc=$?
	out=$(tr -d '\0' <"$out_file")
	err=$(tr -d '\0' <"$err_file")
}

# What the last command did, for a failure message.
came() {
	echo "after: $command_line"
	echo "exit status $rc"
	sed 's/^/stdout: /' "$out_file"
	sed 's/^/stderr: /' "$err_file"
}

expect_rc() {
	[ "$rc" = "$1" ] || fail "expected exit status $1, got $rc"$'\n'"$(came)"
}

expect_out_file() {
	local difference

	difference=$(diff -u --label expected --label got "$1" "$out_file") ||
		fail "stdout differs from $1"$'\n'"$difference"$'\n'"$(came)"
}

# expect_out TEXT: stdout is these lines and nothing else.
expect_out() {
	printf '%s\n' "$1" >"$tmp/.expected"
	expect_out_file "$tmp/.expected"
}

expect_out_has() {
	grep -qF -- "$1" "$out_file" || fail "expected '$1' in stdout"$'\n'"$(came)"
}

expect_err_has() {
	grep -qF -- "$1" "$err_file" || fail "expected '$1' in stderr"$'\n'"$(came)"
}

expect_out_empty() {
	[ ! -s "$out_file" ] || fail "expected nothing on stdout"$'\n'"$(came)"
}

expect_err_empty() {
	[ ! -s "$err_file" ] || fail "expected nothing on stderr"$'\n'"$(came)"
}

# expect_json JQ_EXPR: stdout is JSON and the expression is true of it.
expect_json() {
	jq -e "$1" "$out_file" >/dev/null 2>"$tmp/.jq" ||
		fail "expected of the JSON: $1"$'\n'"$(cat "$tmp/.jq")"$'\n'"$(came)"
}

# as_nobody CMD...: runs it as a user without any rights.
as_nobody() {
	local drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	[ "$(id -u)" = 0 ] || skip "needs root, to become another user"
	chmod a+rx "$tmp" "$(dirname "$tmp")"
	"${drop[@]}" test -r "$SRCDIR/tests/lib.sh" ||
		skip "an unprivileged user cannot reach this source tree"
	"${drop[@]}" "$@"
}

# Ends what the test runs in the background: for its EXIT trap.
end_jobs() {
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill -KILL $pids 2>/dev/null || :
	wait 2>/dev/null || :
}

# start NAME COMMAND...: runs it beside the test, with stdout in NAME.log, and waits for its
# first line; $started is its process. What was started dies with the test.
# shellcheck disable=SC2034
start() {
	local name=$1

	shift
	# What another one of this name said would answer for this one.
	rm -f "$tmp/$name.log"
	"$@" >"$tmp/$name.log" &
	started=$!
	trap 'end_jobs; rm -rf "$tmp"' EXIT
	until [ -s "$tmp/$name.log" ]; do
		kill -0 "$started" 2>/dev/null || fail "$name ended before it was ready"
		sleep 0.05
	done
}

# is_long: parts that take minutes of CPU time are wanted, by `make check-long` or `make soak`.
is_long() {
	[ -n "${KTSTR_LONG:-}${KTSTR_SOAK:-}" ]
}

# rest_is_long: in `make check` the test ends here.
rest_is_long() {
	is_long || exit 0
}

# all_is_long: in `make check` it does not run; SECONDS of CPU time.
all_is_long() {
	is_long || skip "takes $1 s of CPU time; make check-long runs it"
}

# repetitions FEW MANY: how often a test repeats what only sometimes goes wrong; MANY under
# `make soak`.
repetitions() {
	[ -n "${KTSTR_SOAK:-}" ] && echo "$2" || echo "$1"
}
