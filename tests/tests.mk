# SPDX-License-Identifier: BSD-2-Clause
# The test rings. tests/README.md says what each is for, and how to add a test:
# every tests/unit/test_*.c, tests/bpf/*.c, tests/fuzz/fuzz_*.c and every script
# where the rings below look is picked up by its name.

T	:= $(B)/tests
# sanitizers: the same programs once more, built elsewhere
SANB	:= $(if $(filter 1,$(SAN)),$(B),$(B)/san)

TESTCFLAGS = $(ALLCFLAGS) -Itests -I$(T)/bpf -Wno-missing-field-initializers
TESTLIBS = -lcmocka -lpthread $(PKGLIBS)

TESTSRC	:= $(wildcard tests/lib/*.c tests/unit/*.c tests/bpf/*.c tests/fuzz/*.c)
TESTBPF	:= $(filter %.bpf.c,$(TESTSRC))
TESTSKEL := $(TESTBPF:tests/%.bpf.c=$(T)/%.skel.h)
TESTLIB	:= $(patsubst tests/%.c,$(T)/%.o,$(filter tests/lib/%,$(TESTSRC)))
UNIT	:= $(patsubst tests/%.c,$(T)/%,$(filter tests/unit/test_%,$(TESTSRC)))
BPFTEST	:= $(patsubst tests/%.c,$(T)/%,$(filter-out $(TESTBPF),$(filter tests/bpf/%,$(TESTSRC))))
# fuzz targets without a fuzzer: over the corpus, by any compiler
FUZZ	:= $(filter tests/fuzz/fuzz_%,$(TESTSRC))
REPLAY	:= $(patsubst tests/fuzz/fuzz_%.c,$(T)/fuzz/replay_%,$(FUZZ))

# ------------------------------------------------------------------ building

$(T)/%.o: tests/%.c $(B)/flags | $(SKEL) $(TESTSKEL)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TESTCFLAGS) -MMD -MP -c -o $@ $<

$(T)/%.bpf.o: tests/%.bpf.c $(BPFHDR) $(B)/flags
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFCFLAGS) -c -o $@ $<

$(T)/%.skel.h: $(T)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(basename $(notdir $*))_bpf > $@

$(T)/libtest.a: $(TESTLIB)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(UNIT) $(BPFTEST): $(T)/%: $(T)/%.o $(T)/libtest.a $(B)/librocetrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(TESTCFLAGS) $(LDFLAGS) -o $@ $^ $(TESTLIBS)

$(REPLAY): $(T)/fuzz/replay_%: $(T)/fuzz/fuzz_%.o $(T)/fuzz/replay.o $(T)/libtest.a $(B)/librocetrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(TESTCFLAGS) $(LDFLAGS) -o $@ $^ $(TESTLIBS)

-include $(shell find $(T) -name '*.d' 2>/dev/null)

# -------------------------------------------------------------------- fuzzing

FUZZCC	= $(CLANG)
FUZZSAN	:= -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZOBJ	:= $(LIBSRC:%.c=$(T)/libfuzz/%.o) $(patsubst %.c,$(T)/libfuzz/%.o,$(filter tests/lib/%,$(TESTSRC)))
FUZZER	:= $(patsubst tests/fuzz/%.c,$(T)/fuzz/%,$(FUZZ))

$(T)/libfuzz/%.o: %.c $(B)/flags | $(SKEL) $(TESTSKEL)
	$(call say,FUZZCC,$<)
	@mkdir -p $(@D)
	$(Q)$(FUZZCC) $(TESTCFLAGS) -O1 $(FUZZSAN) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(T)/libfuzz.a: $(FUZZOBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(FUZZER): $(T)/fuzz/%: $(T)/libfuzz/tests/fuzz/%.o $(T)/libfuzz.a
	$(call say,FUZZLD,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZCC) $(FUZZSAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(TESTLIBS)

.PHONY: fuzz
fuzz: $(FUZZER) ## build the fuzz targets; TARGET=wire runs one until Ctrl-C
	$(if $(TARGET),$(Q)tests/fuzz/run -t 0 $(T)/fuzz/fuzz_$(TARGET))

# ---------------------------------------------------------------------- rings

# executable files of a folder, but not of its sub-folders
scripts	= $(shell find $(1) -maxdepth 1 -type f -executable 2>/dev/null | sort)

RING_unit = -r unit B=$(B) $(UNIT) $(REPLAY) $(call scripts,tests/check) $(wildcard tests/vm/check-dmesg-test)
RING_bpf = -r bpf $(BPFTEST)
RING_golden = -r golden ROCETRACE=$(B)/rocetrace $(call scripts,tests/golden)
RING_e2e = -r e2e ROCETRACE=$(B)/rocetrace $(call scripts,tests/e2e)
RING_san = -r san ROCETRACE=$(SANB)/rocetrace $(UNIT:$(B)/%=$(SANB)/%) $(REPLAY:$(B)/%=$(SANB)/%) \
	   $(call scripts,tests/golden)
RING_fuzz = -r fuzz FUZZERS="$(FUZZER)" tests/fuzz/run
RING_vm = -r vm RING_TIMEOUT=3600 tests/vm/run

RINGS	?= unit bpf golden e2e san fuzz vm

.PHONY: check check-unit check-bpf check-golden check-e2e check-san check-vm fuzz-short
check: $(RINGS:%=ready-%) ## all test rings, the quick ones first; RINGS="unit bpf": these
	$(Q)tests/run-ring $(foreach r,$(RINGS),$(RING_$(r)))

check-unit: ready-unit ## unit tests, the fuzz corpora, house rules
check-bpf: ready-bpf ## the loaded programs: cases, parity with the host build, two CPUs (root)
check-golden: ready-golden ## the program's outputs, for captures and more
check-e2e: ready-e2e ## real interfaces in network namespaces (root)
check-san: ready-san ## unit and golden tests under ASan and UBSan
check-vm: ready-vm ## other kernels, real RDMA (downloads kernels once)
fuzz-short: ready-fuzz ## every fuzz target for 20 s

check-unit check-bpf check-golden check-e2e check-san check-vm:
	$(Q)tests/run-ring $(RING_$(@:check-%=%))
fuzz-short:
	$(Q)tests/run-ring $(RING_fuzz)

.PHONY: ready-unit ready-bpf ready-golden ready-e2e ready-san ready-fuzz ready-vm
ready-unit: $(UNIT) $(REPLAY) $(B)/librocetrace.a
ready-bpf: $(BPFTEST)
ready-golden ready-e2e ready-vm: $(B)/rocetrace
ready-fuzz: $(FUZZER)
ready-san:
	$(Q)$(MAKE) --no-print-directory SAN=1 B=$(SANB) $(SANB)/rocetrace $(UNIT:$(B)/%=$(SANB)/%) \
		$(REPLAY:$(B)/%=$(SANB)/%)
