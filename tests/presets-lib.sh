# Preset machines, and booting them; guest init compares caches, nodes, distances and threads with
# what was asked for and ends the run when they differ. A test sources vm-lib.sh first.
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

presets='
tiny-1llc 1,1,4,1
tiny-2llc 1,2,2,1
smt-2llc 1,2,2,2
odd-3llc 1,3,3,1
numa2-4llc 2,4,4,1
smt-3llc 1,3,2,2
odd-7llc 1,7,2,1
odd-5llc 1,5,3,1
medium-4llc 1,4,4,2
medium-4llc-nosmt 1,4,8,1
numa4-8llc 4,8,4,1
medium-8llc 1,8,4,2
medium-8llc-nosmt 1,8,8,1
large-4llc 1,4,16,2
large-8llc 1,8,8,2
large-4llc-nosmt 1,4,32,1
large-8llc-nosmt 1,8,16,1
numa2-8llc 2,8,8,2
numa2-8llc-nosmt 2,8,16,1
numa4-12llc 4,12,8,2
near-max-llc 1,15,8,2
near-max-llc-nosmt 1,15,16,1
max-cpu 1,14,9,2
max-cpu-nosmt 1,14,18,1
'

# preset_cpus TOPOLOGY
preset_cpus() {
	echo $(($(cut -d, -f2- --output-delimiter='*' <<<"$1")))
}

# preset_boot ACCEL TOPOLOGY: and counts in the guest what it shows of each kind.
preset_boot() {
	local nodes llcs cores threads

	IFS=, read -r nodes llcs cores threads <<<"$2"
	shell --cold --accel "$1" --topology "$2" --exec-timeout 60m --exec \
		'nproc; ls -d /sys/devices/system/node/node* | wc -l
		cat /sys/devices/system/cpu/cpu*/cache/index3/shared_cpu_list | sort -u | wc -l
		cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list | sort -u | wc -l'
	expect_rc 0
	expect_out "$((llcs * cores * threads))
$nodes
$llcs
$((llcs * cores))"
}
