# Booting the guest by hand, for tests of what the guest does when something is
# wrong with it. A test sources lib.sh first, then this file.
# shellcheck shell=bash

guest_files=$SRCDIR/build/tests/fixtures/guest_files
export KTSTR_CACHE_DIR=$SRCDIR/build/vm-cache

# Sets kernel to the one to boot: fetched once, kept below build/.
vm_find_kernel() {
	local log=${tmp:?}/fetch

	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	command -v busybox >/dev/null || skip "busybox is not installed"
	"$KTSTR" kernel fetch 7.0 >"$log" 2>&1 || skip "no kernel: $(tail -n 1 "$log")"
	for kernel in "$KTSTR_CACHE_DIR"/7.0.*/vmlinux; do :; done
	[ -f "$kernel" ] || fail "kernel fetch left no vmlinux: $(cat "$log")"
}

# vm_boot INITRD MEMORY_MIB WORDS [QEMU OPTION...]: leaves the serial ports' output
# in com1 and com2. The guest has two CPUs that share one cache.
vm_boot() {
	local kernel initrd=$1 memory=$2 words=$3

	shift 3
	vm_find_kernel
	timeout 100 qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-accel tcg,thread=single -machine pc,hpet=off,usb=off,vmport=off \
		-cpu max,vendor=GenuineIntel,level=0xd -smp 2,sockets=1,cores=2 -m "$memory" \
		-kernel "$kernel" -initrd "$initrd" -serial "file:com1" -serial "file:com2" \
		-append "console=ttyS0 rdinit=/init panic=-1 reboot=t loglevel=1 mitigations=off \
cryptomgr.notests tsc=reliable no_timer_check nowatchdog 8250.nr_uarts=2 \
initramfs_options=size=90% initcall_blacklist=load_system_certificate_list $words" "$@" ||
		fail "QEMU ended with status $?"
	tr -d '\r' <com1 >com1.text
	tr -d '\r' <com2 >com2.text
}

# With a channel: what came through it is in the file sent afterwards.
vm_boot_with_channel() {
	"$guest_files" region region
	vm_boot "$@" -object "memory-backend-file,id=channel,size=16M,mem-path=region,share=on" \
		-device ivshmem-plain,memdev=channel
	"$guest_files" frames region >sent
}

expect_line() {
	grep -qFx -- "$2" "$1" || fail "expected the line '$2' in $1:"$'\n'"$(cat "$1")"
}
