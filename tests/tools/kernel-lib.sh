# Helpers of the kernel tests. Sourced after lib.sh.
# shellcheck shell=bash disable=SC2154,SC2120

# Nobody listens there: no test reaches the real servers.
nowhere=http://127.0.0.1:1
export KTSTR_CACHE_DIR=$tmp/cache KTSTR_LOCK_DIR=$tmp/locks
export KTSTR_KERNEL_ORG_URL=$nowhere KTSTR_CDN_URL=$nowhere KTSTR_GIT_KERNEL_URL=$nowhere
export KTSTR_DEBIAN_URL=$nowhere/debian KTSTR_INSTALLED_ROOT=$tmp/installed
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.org
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY

kernel_image=$SRCDIR/tests/tools/kernel-image

# tiny_tree DIR [VERSION]: a source tree with the kernel's interface.
tiny_tree() {
	local major minor patch extra

	cp -r "$SRCDIR/tests/data/tiny-kernel" "$1"
	[ $# = 1 ] && return
	extra=${2#"${2%%-*}"}
	IFS=. read -r major minor patch <<<"${2%%-*}"
	sed -i "s/^VERSION = .*/VERSION = $major/; s/^PATCHLEVEL = .*/PATCHLEVEL = $minor/
		s/^SUBLEVEL = .*/SUBLEVEL = ${patch:-0}/; s/^EXTRAVERSION =.*/EXTRAVERSION = $extra/" \
		"$1/Makefile"
}

# commit_tree DIR: makes it a clean git checkout.
commit_tree() {
	git -C "$1" init -q
	git -C "$1" add -A
	git -C "$1" commit -qm "tiny kernel"
}

# put_entry KEY JSON [IMAGE OPTIONS...]: a cache entry, as somebody else may have written it.
put_entry() {
	local key=$1 json=$2

	shift 2
	mkdir -p "$KTSTR_CACHE_DIR/$key"
	printf '%s\n' "$json" >"$KTSTR_CACHE_DIR/$key/metadata.json"
	"$kernel_image" "$@" "$KTSTR_CACHE_DIR/$key/bzImage"
}

# metadata [JQ PROGRAM]: a valid document, changed.
metadata() {
	jq -n '{version: "6.14.2", source: {type: "tarball"}, arch: "x86_64", image_name: "bzImage",
		config_hash: null, built_at: "2026-07-04T23:06:12Z", ktstr_kconfig_hash: null,
		has_vmlinux: false, vmlinux_stripped: false, source_vmlinux_size: null,
		source_vmlinux_mtime_secs: null}'" | ${1:-.}"
}

# start_kernel_org: serves $tmp/www as www, cdn and git.kernel.org.
start_kernel_org() {
	mkdir -p "$tmp/www"
	"$SRCDIR/tests/tools/kernel-org-server" "$tmp/www" "$tmp/port" &
	server=$!
	trap 'kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
	until [ -e "$tmp/port" ]; do
		kill -0 "$server" || fail "the server did not start"
		sleep 0.05
	done
	export KTSTR_KERNEL_ORG_URL KTSTR_CDN_URL KTSTR_GIT_KERNEL_URL
	KTSTR_KERNEL_ORG_URL=http://127.0.0.1:$(cat "$tmp/port")
	KTSTR_CDN_URL=$KTSTR_KERNEL_ORG_URL
	KTSTR_GIT_KERNEL_URL=$KTSTR_KERNEL_ORG_URL/
}

# put_releases MONIKER=VERSION...: the release index.
put_releases() {
	printf '%s\n' "$@" | jq -R 'split("=") | {moniker: .[0], version: .[1], iseol: false}' |
		jq -s '{latest_stable: {version: "x"}, releases: .}' >"$tmp/www/releases.json"
}

# put_tarball VERSION [TOP]: a source archive with its line in sha256sums.asc.
put_tarball() {
	local directory=$tmp/www/pub/linux/kernel/v${1%%.*}.x work=$tmp/tarball

	rm -rf "$work"
	mkdir -p "$directory" "$work"
	tiny_tree "$work/${2:-linux-$1}" "$1"
	tar -C "$work" -cJf "$directory/linux-$1.tar.xz" "${2:-linux-$1}"
	(cd "$directory" && sha256sum "linux-$1.tar.xz" >>sha256sums.asc)
}
