# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks: nothing here is part of `make check`.

BENCH	:= $(B)/tests/bench

$(BENCH)/bench.bpf.o: tests/bench/bench.bpf.c tests/bench/bench.h $(BPFHDR) $(BPFSRC) $(B)/flags
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFCFLAGS) -c -o $@ $<

$(BENCH)/bench.skel.h: $(BENCH)/bench.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name bench_bpf > $@

$(BENCH)/packet: tests/bench/packet.c tests/bench/bench.h $(BENCH)/bench.skel.h $(B)/obj/user/model/fold.o $(B)/flags
	$(call say,LD,$@)
	$(Q)$(CC) $(ALLCFLAGS) -I$(BENCH) -o $@ $< $(B)/obj/user/model/fold.o $(LDFLAGS) $(PKGLIBS)

.PHONY: bench bench-packet
bench-packet: $(BENCH)/packet ## cost of the packet programs, ns a packet (root)
	$(Q)$(BENCH)/packet
