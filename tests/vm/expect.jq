# SPDX-License-Identifier: BSD-2-Clause
#
# What a scenario must have come to. Input: one object, made by run (see gather
# there) of what the two guests of pair left:
#   { scenario, netem, tool: is it rocetrace (not the stand-in)?, budget,
#     a, b: { before, after	rxe's counters
#             eth0		the driver's counters, before and after
#             qdisc		tc's
#             tap		the wire, counted by tshark (tshark-flows)
#             read		the same capture, counted by `rocetrace read`
#             tcpdump: {dropped}
#             tests: [{number, verb, count, size, rc, no_clock, local, remote}]
#             hooks: { HOOK: {rc, said, report, state, after} } } }
# Output: lines "ok - ", "not ok - " and "skip - ".
#
# Every number must be there: null is never taken for zero.

def number: if type == "number" then . else error("no number where one must be: \(tojson)") end;
def sum(f): reduce (.[] | f | number) as $n (0; . + $n);

def same($text; $want; $got):
	if $want == $got then "ok - \($text) (\($got | tojson))"
	else "not ok - \($text): \($want | tojson) expected, \($got | tojson) found" end;
def least($text; $min; $got):
	if $got >= $min then "ok - \($text) (\($got))"
	else "not ok - \($text): at least \($min) expected, \($got) found: this run proves nothing" end;

def none($text; $list):
	if $list == [] then "ok - \($text)"
	else "not ok - \($text): \($list | length): \($list[:4] | map(if type == "string" then . else tojson end) | join("; "))" end;

def peer: if . == "a" then "b" else "a" end;
def address($family): {a: {"4": "10.0.0.1", "6": "fd00::1"}, b: {"4": "10.0.0.2", "6": "fd00::2"}}[.][$family];
def addresses: [address("4"), address("6")];

# --- what the guests left ---

def delta($name): (.after[0][$name] | number) - (.before[0][$name] | number);
def netem_drops: [.qdisc[] | select(.kind == "netem") | .drops] | sum(.);
def injected: [.tests[] | select(.verb == "inject") | .count] | sum(.);
def coming($side): map(select(.dst as $dst | $side | addresses | index($dst)));
def leaving($side): coming($side | peer);
def way($direction): [.flows[] | select(.ifname == "eth0" and .direction == $direction)];
def to($side; $qp): map(select(.dst == ($side | address("4")) and .dest_qp == $qp));

# --- flow by flow ---

def is_request: test("SEND|WRITE|READ_REQUEST|SWAP|ADD");
def requests: [.opcodes | to_entries[] | select(.key | is_request) | .value] | sum(.);
# Flows whose PSNs can be judged by looking at each packet alone: requests are in
# it, none of them a READ (which consumes several) or UD (which counts per source).
def plain: requests > 0 and (.opcodes | keys | all(test("READ_REQUEST|^UD_") | not));

def repeated: if has("psn") then .psn.repeated else .requests - .unique end | number;
def missing: if has("psn") then .psn.missing else .span - .unique end | number;
# Past what the tracker remembers holes are given up: a PSN of one that comes late
# stays missing and counts as repeated, so that only the difference is exact.
def given_up: if has("psn") then .psn.given_up | number else 0 end;

def counts: {
	packets, bytes, payload_bytes, messages,
	opcodes: (.opcodes | with_entries(select(.value != 0))),
	ecn: (.ecn | with_entries(select(.value != 0))),
	naks: ((.naks // {}) | with_entries(select(.value != 0))),
	acks: (.acks // 0), rnr_naks: (.rnr_naks // 0), cnp: (.cnp // 0)
};
def psns($exact):
	if plain | not then {}
	elif $exact then {missing: missing, repeated: repeated}
	else {"repeated - missing": (repeated - missing)} end;

def table: map({key: "\(.src) > \(.dst) QP \(.dest_qp)", value: .}) | from_entries;

# The first few differences between two lists of flows, as text.
def differences($want; $got):
	($want | table) as $w | ($got | table) as $g
	| [ (if ($g | length) != ($got | length) then "a flow has two rows" else empty end),
	  ((($w + $g) | keys[]) as $flow
	  | if $g[$flow] == null then "\($flow): not found"
	    elif $w[$flow] == null then "\($flow): not on the wire"
	    else ([$w[$flow], $g[$flow]]
		| all(.[]; given_up == 0) as $exact
		| map(counts + psns($exact)) as [$x, $y]
		| ($x + $y | keys[]) as $field
		| select($x[$field] != $y[$field])
		| "\($flow): \($field) \($x[$field] | tojson) expected, \($y[$field] | tojson) found")
	    end) ];
def flows_equal($text; $want; $got):
	differences($want; $got) as $diff
	| none("\($text) (\($want | length) flows, \($want | sum(.packets)) packets)"; $diff);

# --- the lab itself: were this run's truths true? ---

# One end that has no clock (see guest) fails both.
def ended($e; $other): . as $n | any(($e, $other).tests[]; .number == $n and .no_clock);

def lab($s; $side):
	.[$side] as $e | .[$side | peer] as $other
	| ($e | if $s.netem | test("ecn") then 0 else netem_drops end) as $lost
	| none("\($side): all \($e.tests | length) transfers ended well"; [$e.tests[] | select(.rc != 0)]),
	  same("\($side): the capture dropped nothing"; 0; $e.tcpdump.dropped),
	  same("\($side): eth0 dropped nothing meanwhile"; 0;
		[$e.eth0[][0].stats64.rx.dropped | number] | .[1] - .[0]),
	  same("\($side): rxe could send everything"; 0; $e | delta("send_err")),
	  if $s.netem | test("duplicate") then empty
	  else same("\($side): sent_pkts, less what netem dropped (\($lost)), is on the wire";
		($e | delta("sent_pkts") + injected) - $lost; $e.tap.flows | leaving($side) | sum(.packets))
	  end,
	  same("\($side): what came by the wire is rcvd_pkts";
		($e | delta("rcvd_pkts")) + ($other | injected); $e.tap.flows | coming($side) | sum(.packets));

# --- each hook ---

def report_whole($who; $h):
	same("\($who): ended at SIGINT with 0"; 0; $h.rc),
	none("\($who): nothing refused, lost or out of the table";
		[$h.report.totals
		| {overflow_packets, retired_packets, events_lost} + (.refused | del(.other, .pause))
		| to_entries[] | select(.value | number != 0)]),
	same("\($who): totals.roce is the sum of the flows";
		$h.report.flows | sum(.packets); $h.report.totals.roce);

def coverage($who; $hook; $h):
	($h.report.coverage | map(select(.source == "packets" and .object == "eth0") | .method) | join(" ")) as $said
	| ($h.state.link[0].xdp.mode // 0) as $mode
	| ({xdp: ({"1": "^xdp$", "2": "^xdp-generic$"}["\($mode)"] // "no XDP at all"),
	    tc: (if any($h.state.qdisc[]; .kind == "clsact") then "clsact" else "tcx" end),
	    netdev: "netdev|tp_btf"}[$hook]) as $is
	| if ($said | test($is)) then "ok - \($who): coverage says how (\($said))"
	  else "not ok - \($who): coverage says how: \($is) expected, \($said | tojson) found" end;

def verifier($who; $budget; $h):
	[$h.state.verified[] | .[1]] as $insns
	| if $insns == [] then "not ok - \($who): verifier's work: no program found"
	  elif ($insns | max) <= $budget
	  then "ok - \($who): verifier's work within \($budget) instructions (\($insns | map(tostring) | join(", ")))"
	  else "not ok - \($who): verifier's work: at most \($budget) expected, \($insns | max) found" end;

def seen($s; $side; $hook):
	.[$side] as $e | .[$side | peer] as $other | $e.hooks[$hook] as $h
	| "\($side) \($hook)" as $who
	| if $h.report == null then "not ok - \($who): a report: none was left (status \($h.rc)): \($h.said)"
	  else
		($h.report | way("rx")) as $rx | ($h.report | way("tx")) as $tx
		| ($e.tap.flows | coming($side)) as $tap_rx | ($e.tap.flows | leaving($side)) as $tap_tx
		| report_whole($who; $h),
		  if $s.tool and $h.state.link != null then coverage($who; $hook; $h), verifier($who; $s.budget; $h) else empty end,
		  same("\($who): frames received = rcvd_pkts";
			($e | delta("rcvd_pkts")) + ($other | injected); $rx | sum(.packets)),
		  flows_equal("\($who): every flow received is as on the wire"; $tap_rx; $rx),
		  if $hook == "netdev" then
			flows_equal("\($who): every flow sent is as on the wire"; $tap_tx; $tx)
		  elif $hook == "tc" then
			same("\($who): frames sent = sent_pkts";
				($e | delta("sent_pkts") + injected); $tx | sum(.packets)),
			same("\($who): sequence NAKs sent = out_of_seq_request";
				$e | delta("out_of_seq_request"); $tx | sum(.naks.sequence // 0)),
			same("\($who): RNR NAKs sent = send_rnr_err";
				$e | delta("send_rnr_err"); $tx | sum(.rnr_naks)),
			if $s.netem == "" then
				flows_equal("\($who): every flow sent is as on the wire"; $tap_tx; $tx)
			else empty end
		  else same("\($who): nothing sent is seen"; 0; $tx | sum(.packets)) end
	  end;

# --- what perftest moved, as its sender's tc hook sees it ---

def packets_of($size): [1, ($size + 4095) / 4096 | floor] | max;

# One transfer out of $flows (those leaving, or coming at, one end) to QP $qp of $to.
def moved($text; $flows; $to; $qp; $t):
	($flows | to($to; $qp)) as $f
	| packets_of($t.size) as $n
	| if ($f | length) != 1 then same("\($text): one flow"; 1; $f | length)
	  else $f[0]
		| .psn.repeated as $repeated | (.payload_bytes / (requests) | round) as $each
		| same("\($text): requests, less \($repeated) repeated"; $t.count * $n; requests - $repeated),
		  if $n == 1 or $repeated == 0 then
			same("\($text): messages, less those repeated";
				$t.count; .messages - $repeated)
		  else empty end,
		  if ($t.verb | IN("fetch_add", "compare_swap")) then same("\($text): payload"; 0; .payload_bytes)
		  else same("\($text): payload, less what was repeated"; $t.count * $t.size;
			.payload_bytes - $repeated * ([$t.size, 4096] | min)) end
	  end;

def retried: [.a, .b | delta("completer_retry_err")] | add > 0;

def transfer($s; $t):
	"\($t.number) \($t.verb) \($t.count) x \($t.size)" as $text
	| (.a.hooks.tc.report | way("tx")) as $from_a | (.b.hooks.tc.report | way("tx")) as $from_b
	| if ($t.verb | IN("write", "send", "uc_write", "fetch_add", "compare_swap"))
	  then moved($text; $from_a; "b"; $t.remote; $t)
	  elif $t.verb == "pingpong"
	  then moved("\($text), ping"; $from_a; "b"; $t.remote; $t),
	       moved("\($text), pong"; $from_b; "a"; $t.local; $t)
	  elif $t.verb == "ud_send" then
		($from_a | to("b"; $t.remote)) as $f
		| same("\($text): messages"; $t.count; $f | sum(.messages)),
		  same("\($text): payload"; $t.count * $t.size; $f | sum(.payload_bytes))
	  elif $t.verb == "read" then
		($from_a | to("b"; $t.remote)) as $f
		| same("\($text): READ requests, less those repeated"; $t.count;
			$f | sum(.opcodes.RC_READ_REQUEST) - sum(.psn.repeated)),
		  if $s.netem == "" then same("\($text): payload read"; $t.count * $t.size;
			$from_b | to("a"; $t.local) | sum(.payload_bytes))
		  else empty end
	  elif $t.verb == "cm" then empty	# only as tshark sees it
	  elif $t.verb == "rping" and retried then
		"\($text): timed out and repeated: the machine is slow, its counts are not looked at"
	  elif $t.verb == "rping" then
		# per round, of librdmacm's rping: the client advertises twice, the
		# server reads, says so, writes, says so
		[$from_a, $from_b | map(select(.src | test(":"))) | map(select(.dest_qp != 1))] as [$c, $v]
		| same("\($text): the client's SENDs"; 2 * $t.count; $c | sum(.messages)),
		  same("\($text): the server's READs"; $t.count; $v | sum(.opcodes.RC_READ_REQUEST)),
		  same("\($text): the server's messages"; 4 * $t.count; $v | sum(.messages)),
		  same("\($text): read"; $t.count * $t.size;
			$c | sum(.payload_bytes) - 2 * $t.count * 16)
	  elif $t.verb == "inject" then
		same("\($text): CNPs sent"; $t.count; $from_a | sum(.cnp)),
		(.b.hooks | keys[]) as $hook
		| same("\($text): CNPs received by \($hook)"; $t.count;
			.b.hooks[$hook].report | way("rx") | sum(.cnp))
	  else error("verb \($t.verb) has no expectation") end;

def reports: [.a, .b | .hooks[].report] | all(. != null);

def transfers($s):
	if (.a.hooks.tc and .b.hooks.tc and reports) then
		.a.tests[] as $t | transfer($s; $t)
	else empty end;

# --- what only one scenario has ---

# Did what the scenario is for happen at all?
def proves($s):
	if $s.netem | test("loss [0-9.]+%$") then least("b's receiver missed packets"; 1; .b | delta("out_of_seq_request"))
	elif $s.netem | test("reorder") then least("b's receiver was overtaken"; 1; .b | delta("out_of_seq_request"))
	elif $s.netem | test("duplicate") then least("b's receiver met duplicates"; 1; .b | delta("duplicate_request"))
	elif $s.netem | test("ecn") then least("a's netem marked packets"; 1; .a | netem_drops)
	elif $s.scenario == "signals" then least("b's receiver was not ready"; 1; .b | delta("send_rnr_err"))
	elif $s.netem == "" then
		if retried then "somebody had to retry without a loss: the machine is slow"
		else "ok - nobody had to retry" end
	else empty end;

def duplicates($hook):
	same("b \($hook): repeated = duplicate_request"; .b | delta("duplicate_request");
		.b.hooks[$hook].report | way("rx") | map(select(plain)) | sum(.psn.repeated));

def marks($side; $hook):
	(.[$side | peer] | netem_drops) as $marked
	| if $side == "b" then least("a's netem marked packets"; 1; $marked) else empty end,
	  same("\($side) \($hook): CE received = what netem marked"; $marked;
		.[$side].hooks[$hook].report | way("rx") | sum(.ecn.ce)),
	  if $hook == "tc" then same("\($side) tc: CE sent, before netem"; 0;
		.[$side].hooks.tc.report | way("tx") | sum(.ecn.ce)) else empty end;

def own($s):
	if reports then
		(.b.hooks | keys[]) as $hook
		| if $s.netem | test("duplicate") then duplicates($hook)
		  elif $s.netem | test("ecn") then marks("a", "b"; $hook)
		  else empty end
	else empty end;

# --- read ---

def read($side):
	.[$side] as $e
	| if $e.read == null then "not ok - \($side) read: a report of the capture: none was left"
	  else
		same("\($side) read: RoCE packets = tshark's"; $e.tap.totals.roce; $e.read.totals.roce),
		flows_equal("\($side) read: every flow = tshark's"; $e.tap.flows; $e.read.flows),
		same("\($side) read: no bad ICRC"; 0; [$e.read.flows[].icrc_bad // 0] | sum(.))
	  end;

# --- kill -9 ---

def left: {
	programs: (.programs | map(.id)), links: (.links | map(.id)),
	clsact: (.qdisc | map(select(.kind == "clsact")) | length),
	filters: (.ingress + .egress | length),
	xdp: (.link[0].xdp.mode // 0)
};
def killed($hook):
	.hooks[$hook] as $h
	| least("kill -9, \($hook): it was attached"; 1; $h.state.programs | length),
	  same("kill -9, \($hook): nothing remains"; .before_kill | left; $h.after | left);
def cleaned:
	same("kill -9 of the tracer and its keeper: cleanup ends with 0"; 0; .cleanup.rc),
	same("kill -9 of the tracer and its keeper, cleanup: nothing remains";
		.before_kill | left; .cleanup.after | left);

# A number that is missing fails its own part, not the others.
def guard($text; f): try f catch "not ok - \($text): \(.)";

def scenario:
	. as $s
	| if .kill then
		((.hooks | keys_unsorted[]) as $hook | guard("kill -9, \($hook)"; killed($hook))),
		guard("kill -9 of both"; cleaned)
	  else
		(("a", "b") as $side | guard("\($side)"; lab($s; $side))),
		guard("the wire"; flows_equal("the wire lost nothing between the captures";
			.a.tap.flows; .b.tap.flows)),
		guard("the run's point"; proves($s)),
		(("a", "b") as $side | (.[$side].hooks | keys_unsorted[]) as $hook
			| guard("\($side) \($hook)"; seen($s; $side; $hook))),
		guard("transfers"; transfers($s)),
		guard("the scenario's own"; own($s)),
		(("a", "b") as $side | if .[$side].reads then guard("\($side) read"; read($side)) else empty end)
	  end;

scenario
