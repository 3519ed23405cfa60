# SPDX-License-Identifier: BSD-2-Clause
# rocetrace. `make help` lists the targets; nothing is written outside build/.

VERSION	:= 0.1
B	:= build
PREFIX	?= /usr/local
DESTDIR	?=
V	?= 0

ifeq ($(origin CC),default)
CC	:= gcc
endif
CLANG	?= clang
BPFTOOL	?= $(shell command -v bpftool || echo /usr/sbin/bpftool)
ARCH	:= $(shell uname -m)
BPF_ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))

ifeq ($(SAN),1)
B	:= build/san
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif

# One file for any distribution. Of libsmartcols and libmnl there is no archive, and
# libpcap's wants D-Bus: user/static stands in for what is used of them. What
# libarchive has for other formats than tar and gzip is dropped by --gc-sections.
# (ld warns of name look-ups in libpcap and libcap-ng: nothing here calls them.)
ifeq ($(STATIC),1)
B	:= build/static
STATICFLAGS := -static -Wl,--gc-sections
LDFILTER := -lsmartcols -lmnl -ldbus-1 -lsystemd -lnettle -lacl -llzma -lzstd -llz4 -lbz2 -lxml2
endif

LIBS	:= libbpf libelf zlib libpcap jansson smartcols libcap-ng libmnl libarchive
# asked once, where a recipe needs the answer
PKGCFLAGS = $(eval PKGCFLAGS := $(shell pkg-config --cflags $(LIBS)))$(PKGCFLAGS)
PKGLIBS	= $(eval PKGLIBS := $(filter-out $(LDFILTER),$(shell \
	  pkg-config $(if $(STATICFLAGS),--static) --libs $(LIBS))) -lm)$(PKGLIBS)

WARN	:= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	   -Wwrite-strings -Wundef -Wformat=2 -Wvla
# (under sanitizers gcc warns of what isn't so)
ifeq ($(WERROR)$(filter 1,$(SAN)),1)
WARN	+= -Werror
endif
CFLAGS	?= -O2 -g
ALLCFLAGS = -std=gnu11 -D_GNU_SOURCE -DRCT_VERSION='"$(VERSION)"' $(WARN) $(CFLAGS) \
	   -fno-strict-aliasing -I. -Ibpf -Iuser -I$(B)/bpf $(PKGCFLAGS) $(SANFLAGS)
BPFCFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra \
	   -Wno-unused-parameter $(filter -Werror,$(WARN)) -Ivmlinux -Ibpf \
	   -I/usr/include/$(ARCH)-linux-gnu

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
LIBSRC	:= $(filter-out user/static/%,$(wildcard user/*/*.c))
LIBOBJ	:= $(LIBSRC:%.c=$(B)/obj/%.o)
MAINSRC	:= user/main.c $(if $(STATICFLAGS),$(wildcard user/static/*.c))
MAINOBJ	:= $(MAINSRC:%.c=$(B)/obj/%.o)

.PHONY: all
all: $(B)/rocetrace ## build/rocetrace (the default)

.DELETE_ON_ERROR:
.SECONDARY:

# Tools and libraries, looked at once. What is missing stops here, with its name.
$(B)/checked: scripts/check-build Makefile
	@mkdir -p $(@D)
	$(Q)scripts/check-build "$(CC)" "$(CLANG)" "$(BPFTOOL)" $(LIBS)
	@touch $@

# Other compilers or flags than last time: everything again.
FLAGS	= $(CC) $(ALLCFLAGS) $(LDFLAGS) $(CLANG) $(BPFCFLAGS)
QUOTED	= '$(subst ','\'',$(FLAGS))'
$(B)/flags: $(B)/checked FORCE
	@echo $(QUOTED) | cmp -s - $@ || echo $(QUOTED) > $@

.PHONY: FORCE
FORCE:

$(B)/rocetrace: $(MAINOBJ) $(B)/librocetrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALLCFLAGS) $(STATICFLAGS) $(LDFLAGS) -o $@ $^ $(PKGLIBS)

$(B)/librocetrace.a: $(LIBOBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/obj/%.o: %.c $(B)/flags | $(SKEL)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(BPFHDR) $(B)/flags
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFCFLAGS) -c -o $@ $<

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

include tests/tests.mk
include tests/bench/bench.mk

BINDIR	:= $(DESTDIR)$(PREFIX)/bin
MANDIR	:= $(DESTDIR)$(PREFIX)/share/man/man8
DATADIR	:= $(DESTDIR)$(PREFIX)/share/rocetrace
DOCDIR	:= $(DESTDIR)$(PREFIX)/share/doc/rocetrace

.PHONY: install
install: $(B)/rocetrace ## into $(DESTDIR)$(PREFIX): program, man page, JSON schema, licences
	install -D -m 755 $(B)/rocetrace $(BINDIR)/rocetrace
	install -D -m 644 user/rocetrace.8 $(MANDIR)/rocetrace.8
	install -D -m 644 -t $(DATADIR) schema/*.json
	install -D -m 644 -t $(DOCDIR) README.md LICENSE LICENSES/*

.PHONY: uninstall
uninstall: ## take away what `make install` put there
	rm -f $(BINDIR)/rocetrace $(MANDIR)/rocetrace.8
	rm -rf $(DATADIR) $(DOCDIR)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build

.PHONY: help
help: ## this list
	@echo 'make TARGET... [VARIABLE=value...]'
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  \1\t\2/p' Makefile tests/tests.mk tests/bench/bench.mk | \
		awk -F '\t' '{ printf "%-18s%s\n", $$1, $$2 }'
	@echo 'V=1 shows commands; SAN=1 builds with sanitizers into build/san; STATIC=1 builds one'
	@echo 'file for any distribution, build/static/rocetrace; CC=clang; CFLAGS, LDFLAGS; B=FOLDER'
	@echo 'builds there; DESTDIR and PREFIX (/usr/local) for install; WERROR=1.'
