# A machine with KVM where there is none: QEMU emulates an AMD processor with nested paging, an
# ordinary Debian kernel loads kvm-amd there, and jobs run as root on this machine's files, read
# only and with a layer of memory above them. A test sources vm-lib.sh first, then this file.
# shellcheck shell=bash disable=SC2154

kvm_dir=$SRCDIR/build/vm-cache/kvm-outer

# The outer kernel and its modules, unpacked once: the cloud flavour has no 9p.
kvm_fetch() {
	local package

	for program in xz dpkg-deb apt-get strings; do
		command -v $program >/dev/null || skip "$program is not installed"
	done
	[ ! -e "$kvm_dir/vmlinuz" ] || return 0
	rm -rf "$kvm_dir"
	mkdir -p "$kvm_dir/new"
	package=$(apt-cache depends linux-image-6.12-amd64 2>/dev/null | sed -n 's/.*Depends: //p' | head -n 1)
	(cd "$kvm_dir/new" && apt-get download "${package:-linux-image-6.12-amd64}" &&
		dpkg-deb -x ./*.deb .) >"$tmp/fetch.log" 2>&1 ||
		skip "no kernel with kvm-amd: $(tail -n 1 "$tmp/fetch.log")"
	mv "$kvm_dir"/new/lib/modules/*/kernel "$kvm_dir/modules"
	mv "$kvm_dir"/new/boot/vmlinuz-* "$kvm_dir/new/vmlinuz"
	mv "$kvm_dir/new/vmlinuz" "$kvm_dir/vmlinuz"
	rm -rf "$kvm_dir/new"
}

# kvm_module NAME: it and what it depends on, in the order of loading.
kvm_module() {
	local file needed name

	[ ! -e "fs/modules/$1.ko" ] || return 0
	file=$(find "$kvm_dir/modules" -name "${1//_/[-_]}.ko.xz" | head -n 1)
	[ -n "$file" ] || return 0
	xz -dc "$file" >"fs/modules/$1.ko"
	needed=$(strings -a "fs/modules/$1.ko" | sed -n 's/^depends=//p')
	for name in ${needed//,/ }; do kvm_module "${name//-/_}"; done
	echo "$1" >>fs/modules/order
}

kvm_initrd() {
	mkdir -p fs/modules fs/bin
	for name in kvm_amd 9p 9pnet_virtio overlay; do kvm_module $name; done
	cp "$(command -v busybox)" fs/bin/busybox
	cat >fs/init <<-'INIT'
		#!/bin/busybox sh
		b=/bin/busybox
		$b mkdir -p /proc /sys /dev /r /w
		$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
		for m in $($b cat /modules/order); do $b insmod /modules/$m.ko || echo "insmod $m failed"; done
		$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 root /r
		$b mount -t tmpfs -o size=60% t /w; $b mkdir /w/u /w/k /w/m
		$b mount -t overlay -o lowerdir=/r,upperdir=/w/u,workdir=/w/k overlay /w/m
		$b mount -t proc proc /w/m/proc; $b mount -t sysfs sys /w/m/sys; $b mount -t devtmpfs dev /w/m/dev
		$b mkdir -p /w/m/dev/shm /w/m/dev/pts /w/m/job
		$b mount -t tmpfs shm /w/m/dev/shm; $b mount -t devpts pts /w/m/dev/pts
		$b mount -t tmpfs run /w/m/run
		$b mount -t cgroup2 cgroup /w/m/sys/fs/cgroup
		$b mount -t 9p -o trans=virtio,version=9p2000.L,rw,cache=none job /w/m/job
		$b ln -s /proc/self/fd /w/m/dev/fd; $b ifconfig lo 127.0.0.1 up
		$b chroot /w/m /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin NO_COLOR=1 \
			LC_ALL=C.UTF-8 /bin/bash /job/script </dev/null
		echo "job ended with $?"
		$b poweroff -f
	INIT
	chmod +x fs/init
	(cd fs && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >initrd.gz
}

# kvm_outer SECONDS [CPU [CPUS]]: runs the file job/script in there; what it printed is in the file
# outer. Without an HPET: its comparator is missed at times, and is due again 43 s later. One CPU
# unless a job needs two: with two the emulation itself fails at times.
kvm_outer() {
	local cpus=${3:-1}

	[ -e initrd.gz ] || kvm_initrd
	timeout "$1" qemu-system-x86_64 \
		-accel "tcg,thread=$([ "$cpus" = 1 ] && echo single || echo multi)" \
		-cpu "${2:-EPYC-Milan},+svm,+npt" -smp "$cpus" -m 3G -machine pc,hpet=off,usb=off,vmport=off \
		-nodefaults -display none -no-reboot -serial stdio -kernel "$kvm_dir/vmlinuz" -initrd initrd.gz \
		-append 'console=ttyS0 quiet panic=-1 no_timer_check mitigations=off nokaslr random.trust_cpu=on' \
		-fsdev local,id=r,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=r,mount_tag=root \
		-fsdev "local,id=j,path=$tmp/job,security_model=none" \
		-device virtio-9p-pci,fsdev=j,mount_tag=job </dev/null 2>outer.errors | stdbuf -oL tr -d '\r' >outer || :
}
