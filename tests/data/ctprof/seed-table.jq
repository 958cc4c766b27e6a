# A pair of snapshots around a compile job, as the documentation's excerpt shows
# it: jq -n --arg side baseline|candidate -f seed-table.jq
#
# Sums over a group are split evenly, the remainder goes to the first thread.

def interval: 1000;
def now: if $side == "baseline" then 500000 else 500000 + interval end;

def share($total; $count; $i):
	(($total / $count) | floor) as $each | if $i == 0 then $total - $each * ($count - 1) else $each end;

# late: how many of the threads started at the given share of the interval.
def threads($comm; $first; $count; $sums; $late; $at):
	range($count) as $i
	| { tid: ($first + $i), tgid: ($first + $i), pcomm: "kworker/\($i % 8):\($i)-\($comm)",
	    comm: "kworker/\($i % 8):\($i)-\($comm)", cgroup: "/",
	    start_time_clock_ticks: (if $side == "candidate" and $i >= $count - $late
				     then now - ($at * interval) else 100 end) }
	+ ($sums | with_entries(.value = share(.value; $count; $i)));

def window:
	if $side == "baseline" then
		threads("mm_percpu_wq"; 100; 11;
			{ voluntary_csw: 8697, timeslices: 8699, wait_time_ns: 2684200000,
			  stime_clock_ticks: 22, run_time_ns: 243378000 }; 0; 0),
		threads("events"; 1000; 87;
			{ nonvoluntary_csw: 22, timeslices: 222140, voluntary_csw: 222118,
			  wait_time_ns: 64861000000 }; 0; 0)
	else
		threads("mm_percpu_wq"; 100; 37;
			{ voluntary_csw: 101154, timeslices: 101166, wait_time_ns: 27653000000,
			  stime_clock_ticks: 217, run_time_ns: 2320400000 }; 26; 0.9),
		threads("events"; 1000; 60;
			{ nonvoluntary_csw: 11, timeslices: 127813, voluntary_csw: 127802,
			  wait_time_ns: 39243000000 }; 6; 0.5)
	end;

{ schema_version: 1, boot_id: "4f6f2c1e-7a0b-4f55-9d0e-2f9f0c8a7b11",
  captured_at_unix_ns: (1783202448000000000 + now * 10000000), uptime_clock_ticks: now, user_hz: 100,
  threads: [window] }
