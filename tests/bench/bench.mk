# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks. No test times anything; these print tables, and fail only where what
# was measured went wrong.

BENCH	:= $(B)/tests/bench

$(BENCH)/bench.bpf.o: tests/bench/bench.bpf.c tests/bench/bench.h $(BPFHDR) $(BPFSRC) $(B)/flags
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFCFLAGS) -c -o $@ $<

$(BENCH)/bench.skel.h: $(BENCH)/bench.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name bench_bpf > $@

$(BENCH)/packet $(BENCH)/live: $(BENCH)/%: tests/bench/%.c tests/bench/frame.c tests/bench/frame.h \
		tests/bench/bench.h $(BENCH)/bench.skel.h $(B)/librocetrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALLCFLAGS) -I$(BENCH) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(PKGLIBS)

.PHONY: bench bench-packet bench-live bench-read
bench: bench-packet bench-live bench-read ## all benchmarks: tables, with ratios within one run (root)
bench-packet: $(BENCH)/packet ## cost of the packet programs, ns a packet
	$(Q)$(BENCH)/packet
bench-live: $(BENCH)/live ## attach, snapshot, memory
	$(Q)$(BENCH)/live
bench-read: $(B)/rocetrace ## capture files, beside tshark and tcpdump
	$(Q)ROCETRACE=$(B)/rocetrace tests/bench/read
