# For tests of sim: runs of tests/data/repeats.c, what they leave that must not differ, and
# circumstances that must not matter. A test sources vm-lib.sh first, then this file.
# shellcheck shell=bash disable=SC2154

cp "$SRCDIR/tests/data/repeats.c" "$tmp/"
export KTSTR_SCHEDULER=$SRCDIR/build/scx-ktstr
# These tests make the host busy themselves, and boot the largest machines.
export KTSTR_BOOT_TIMEOUT=30m
sim_kernel=$VM_KERNEL

# sim_digest TEST OPTION...: one run, under the command in $around; prints its digest. What
# decides the result goes to the file `record`, times of the host left out.
around=()
sim_digest() {
	local name=$1

	shift
	rm -rf "$tmp/records"
	mkdir -m 777 "$tmp/records"
	run "${around[@]}" env KTSTR_SIDECAR_DIR="$tmp/records" "$KTSTR" test --quiet \
		--no-perf-mode --accel sim --kernel "$sim_kernel" -E "test(=ktstr/$name)" \
		"$tmp/repeats.c" "$@"
	[ "$rc" = 0 ] || [ "$rc" = 1 ] || fail "no run"$'\n'"$(came)"
	jq 'del(.timestamp, .run_id, .host, .cleanup_duration_ms, .duration_ms)' \
		"$tmp/records/"*.ktstr.json >"$tmp/record"
	jq -r '.digest // "none"' "$tmp/record"
}

# sim_first TEST OPTION...: the run that the next ones have to be the same as.
sim_first() {
	first=$(sim_digest "$@")
	[ ${#first} = 64 ] || fail "$*: no digest, but '$first': $(jq -r .failure "$tmp/record")"
	cp "$tmp/record" "$tmp/first"
}

# sim_same WHAT TEST OPTION...: the same digest, and the same bytes in the record.
sim_same() {
	local what=$1

	shift
	[ "$(sim_digest "$@")" = "$first" ] ||
		fail "$what: another digest"$'\n'"$(diff "$tmp/first" "$tmp/record")"
	cmp -s "$tmp/first" "$tmp/record" ||
		fail "$what: another record"$'\n'"$(diff "$tmp/first" "$tmp/record")"
}

# A host that has something else to do, on each of its CPUs.
sim_make_busy() {
	local i

	busy=()
	for ((i = 0; i < $(nproc); i++)); do
		yes >/dev/null &
		busy+=($!)
	done
	trap 'kill "${busy[@]}" 2>/dev/null; rm -rf "$tmp"' EXIT
}

sim_make_quiet() {
	kill "${busy[@]}"
	wait "${busy[@]}" 2>/dev/null || :
	trap 'rm -rf "$tmp"' EXIT
}

# Circumstances, each a command around another one.

# A terminal of an odd size and kind, where there was none; what is printed there is not kept.
sim_on_terminal() {
	TERM=vt52 script -qec "stty rows 7 cols 33; $(printf '%q ' "$@")" /dev/null
}

# Years later, for ktstr and for QEMU.
sim_another_day() {
	LD_PRELOAD=$SRCDIR/build/tests/fixtures/other_day "$@"
}

# Another user, with a home and a cache of its own. The cache is empty, or has the kernels and
# templates of this one, which it may only read.
sim_make_user() {
	local theirs=$tmp/user/cache/ktstr parts=(kernels initramfs templates) part

	[ "$1" = readable ] || parts=(kernels)
	rm -rf "$tmp/user"
	mkdir -p "$theirs"
	for part in "${parts[@]}"; do
		ln -s "$XDG_CACHE_HOME/ktstr/$part" "$theirs/"
	done
	chown -R 65534:65534 "$tmp/user"
}

sim_another_user() {
	as_nobody env HOME="$tmp/user" USER=nobody XDG_CACHE_HOME="$tmp/user/cache" "$@"
}

# Whether this test can become somebody else who reaches the source tree.
sim_has_user() {
	[ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups \
		test -r "$SRCDIR/tests/lib.sh" -a -x "$KTSTR"
}
