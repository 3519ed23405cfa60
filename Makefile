# SPDX-License-Identifier: BSD-2-Clause
# rocetrace. `make help` lists the targets; nothing is written outside build/.

VERSION	:= 0.1
B	:= build
PREFIX	?= /usr/local
DESTDIR	?=
CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(shell command -v bpftool 2>/dev/null || echo /usr/sbin/bpftool)
V	?= 0
ARCH	:= $(shell uname -m)
BPF_ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))

LIBS	:= libbpf libelf zlib libpcap jansson smartcols libcap-ng
PKGCFLAGS = $(shell pkg-config --cflags $(LIBS))
PKGLIBS	= $(shell pkg-config --libs $(LIBS)) -lm

WARN	:= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	   -Wwrite-strings -Wundef -Wformat=2 -Wvla
CFLAGS	?= -O2 -g
ALLCFLAGS = -std=gnu11 -D_GNU_SOURCE -DRCT_VERSION='"$(VERSION)"' $(WARN) $(CFLAGS) \
	   -fno-strict-aliasing -I. -Ibpf -Iuser -I$(B)/bpf $(PKGCFLAGS) $(SANFLAGS)
BPFCFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra \
	   -Wno-unused-parameter -Ivmlinux -Ibpf -I/usr/include/$(ARCH)-linux-gnu

ifeq ($(SAN),1)
B	:= build/san
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif

ifeq ($(V),0)
Q	:= @
say	= @printf '  %-8s %s\n' $(1) $(2)
else
Q	:=
say	= @:
endif

BPFHDR	:= $(wildcard bpf/*.h vmlinux/*.h)
BPFSRC	:= $(wildcard bpf/*.bpf.c)
SKEL	:= $(BPFSRC:bpf/%.bpf.c=$(B)/bpf/%.skel.h)
LIBSRC	:= $(filter-out user/main.c,$(wildcard user/*/*.c))
LIBOBJ	:= $(LIBSRC:%.c=$(B)/obj/%.o)
MAINOBJ	:= $(B)/obj/user/main.o

.PHONY: all
all: $(B)/rocetrace

.DELETE_ON_ERROR:
.SECONDARY:

$(B)/rocetrace: $(MAINOBJ) $(B)/librocetrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ $(PKGLIBS)

$(B)/librocetrace.a: $(LIBOBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/obj/%.o: %.c Makefile | $(SKEL)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(BPFHDR) Makefile
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFCFLAGS) -c -o $@ $<

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

include tests/tests.mk

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build
