# ktstr: one Makefile, nothing recursive but the two entry points that install
# first. Everything generated lives below build/.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

BUILD := build
# PREFIX is accepted as another name of prefix.
prefix ?= $(or $(PREFIX),/usr/local)
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man

# As for the kernel: CROSS_COMPILE=aarch64-linux-gnu- builds for another machine.
CROSS_COMPILE ?=
TRIPLET := $(CROSS_COMPILE:%-=%)
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifneq ($(TRIPLET),)
AR := $(CROSS_COMPILE)ar
LD := $(CROSS_COMPILE)ld
OBJCOPY := $(CROSS_COMPILE)objcopy
NM := $(CROSS_COMPILE)nm
EMULATOR ?= qemu-$(firstword $(subst -, ,$(TRIPLET)))-static
PKG_CONFIG := env PKG_CONFIG_LIBDIR=/usr/lib/$(TRIPLET)/pkgconfig:/usr/share/pkgconfig pkg-config
endif
FUZZ_CC ?= clang
# About 230 programs are linked with sanitizers: lld takes a quarter of the time.
FUZZ_LDFLAGS := $(if $(shell command -v ld.lld),-fuse-ld=lld)
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= -1
FUZZ_SEED ?= 0
# Installs missing packages. To use packages that you installed yourself: make SETUP=true ...
SETUP ?= scripts/setup --quiet
PKG_CONFIG ?= pkg-config
OBJCOPY ?= objcopy
NM ?= nm
LIBRARIES := libzstd libmnl libelf libdw zlib libcurl libarchive libxxhash yaml-0.1
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	    -Wno-format-truncation -Wno-unknown-warning-option -Wno-missing-field-initializers
ifdef CI
WARNINGS += -Werror
endif
# BPF objects contain names of source files: makes objects independent of the directory.
ANYWHERE := -ffile-prefix-map=$(CURDIR)=.
VERSION := $(shell sed -n 's/^\#define KTSTR_VERSION_[A-Z]* //p' include/ktstr/ktstr.h | paste -sd.)
# pkg-config is called once, and only for goals that compile.
ALL_CPPFLAGS = -D_GNU_SOURCE -DKTSTR_BUILD='"$(BUILD)"' -Iinclude -Isrc -Itests/unit $(LIBRARY_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = -std=gnu17 $(WARNINGS) $(CFLAGS) -pthread
LIBRARY_CFLAGS = $(eval LIBRARY_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES)))$(LIBRARY_CFLAGS)
LIBRARY_LIBS = $(eval LIBRARY_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)))$(LIBRARY_LIBS)
ALL_LIBS = $(LIBRARY_LIBS) -lm -pthread

SOURCES := $(sort $(wildcard src/*/*.c))
# Included by the assembler, so dependency files do not list them.
EMBEDDED := $(sort $(wildcard src/cli/complete/*))
# Style sheets and scripts of pages, and the sources that embed them.
PAGE := $(sort $(wildcard src/*/page/*))
PAGE_SOURCES := $(shell grep -l '^EMBED.*/page/' src/*/*.c)
EXPORT_PREAMBLE := src/run/export/preamble.sh
STARTER := $(wildcard $(addprefix examples/starter/,tests/* Makefile .github/workflows/* .gitignore))
# The weak main() is for test programs only: fuzzers have a main() in a library, too.
LIB_SOURCES := $(filter-out src/cli/main.c src/guest/main.c src/program/main.c,$(SOURCES))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_HELPERS := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*.c)))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FIXTURE_SOURCES := $(sort $(wildcard tests/fixtures/*.c))
# Fixtures that use the library, so they exist in every variant.
LIB_FIXTURES := ktstr-jemalloc-probe
FUZZERS := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/fuzz/%)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

# The guest's PID 1: a separate static program, small, with traps for undefined
# behaviour. It is embedded in ktstr, so that there is one file to install.
GUEST := $(BUILD)/ktstr-guest
GUEST_CC ?= $(CC)
GUEST_SOURCES := $(sort $(wildcard src/guest/*.c)) src/channel/channel.c src/channel/device.c \
		 src/channel/writer.c \
		 src/host/topology.c src/host/topology_build.c src/observe/links.c \
		 $(addprefix src/base/,bpf_call.c btf.c clock.c cpulist.c crc32.c err.c file.c json.c parse.c roots.c str.c text.c \
		   vec.c)
GUEST_CFLAGS := -Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
		-fsanitize=undefined -fsanitize-undefined-trap-on-error
GUEST_LDFLAGS := -static -Wl,--gc-sections -s

# The library for test programs: one object in which only the public names are visible,
# to avoid conflicts of names. A test program is static and contains only what it uses,
# so that guests unpack it quickly.
AUTHOR := $(BUILD)/libktstr.a
# Without the rooms that only the tool needs, and without its libraries.
AUTHOR_SOURCES := $(sort $(foreach room,base observe cgroup payload work check scenario snapshot program, \
			   $(wildcard src/$(room)/*.c))) \
		  src/host/topology.c src/host/topology_build.c \
		  src/channel/channel.c src/channel/device.c src/channel/writer.c
AUTHOR_CFLAGS := -O2 -g -ffunction-sections -fdata-sections
EXAMPLE_SOURCES := $(sort $(wildcard examples/*.c))
EXAMPLES := $(EXAMPLE_SOURCES:examples/%.c=$(BUILD)/examples/%)
# The same options as in the manual.
EXAMPLE_CFLAGS := -std=gnu17 -Wall -Wextra -Werror=override-init -O2 -g -Iinclude
EXAMPLE_LDFLAGS := -static -Wl,--gc-sections

# The tests of `ktstr check`, built like those of test authors, and embedded in ktstr.
BATTERY := $(BUILD)/ktstr-battery
BATTERY_SOURCES := $(sort $(wildcard src/battery/program/*.c))
BATTERY_PARTS := $(wildcard src/battery/*.def src/battery/program/*.h include/ktstr/*.h)

# The test of `ktstr fuzz`, built in the same way, with the reader of scenario files.
SCENARIO := $(BUILD)/ktstr-scenario
SCENARIO_SOURCES := src/fuzz/program/scenario.c $(sort $(wildcard src/scenfile/*.c))

# The test program of a scenario file; the file is appended to it.
SCENFILE := $(BUILD)/ktstr-scenfile
SCENFILE_SOURCES := src/scenfile/program/attached.c $(sort $(wildcard src/scenfile/*.c))

# The QEMU plugin; embedded in ktstr.
PLUGIN := $(BUILD)/ktstr-trace.so
# Loaded into the QEMU of every sim run.
TURNS := $(BUILD)/ktstr-turns.so

# The fixture scheduler: a BPF object inside a static loader. Needs clang 19 or newer
# and a libbpf with sched_ext; without them everything else is still built. clang-19 is preferred:
# another compiler makes another object, and so other runs in sim.
ifndef BPF_CC
BPF_CC := $(or $(shell for cc in clang-19 clang clang-20 clang-21 clang-22 clang-23; do \
	version=$$($$cc -dumpversion 2>/dev/null) && [ "$${version%%.*}" -ge 19 ] && echo $$cc && break; done), \
	clang-19)
endif
BPF_STRIP ?= $(BPF_CC:clang%=llvm-strip%)
SCX := $(BUILD)/scx-ktstr
SCX_SOURCES := $(sort $(filter-out bpf/%.bpf.c bpf/observe%,$(wildcard bpf/*.c)))
# Counts scheduling events in guests and for `ktstr run`; also embedded in ktstr.
OBSERVER := $(BUILD)/ktstr-observe
SCX_HEADERS := $(sort $(wildcard bpf/*.h))
CAN_BPF := $(shell command -v $(BPF_CC) $(BPF_STRIP) >/dev/null && \
	     $(PKG_CONFIG) --atleast-version=1.4 libbpf 2>/dev/null && echo 1)

LIBBPF = $(if $(CAN_BPF),$(shell $(PKG_CONFIG) --modversion libbpf),none)

# Tests loaded by `ktstr run --load` use the functions of the program.
EXPORT_API := -Wl,--export-dynamic-symbol=ktstr_*

# Short lines while building, as the kernel does; V=1 shows the commands.
ifeq ($(V),1)
say =
Q :=
else
say = @printf '  %-7s %s\n' $(1) $(2)
Q := @
endif

# A variant is the whole program compiled with other flags into another
# directory: $(call variant,DIRECTORY,EXTRA FLAGS,COMPILER).
define variant
$(1)/obj/%.o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(3) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) $(2) -MMD -MP -c -o $$@ $$<

$(1)/obj/src/kernel/kconfig.o: ktstr.kconfig
$(1)/obj/src/cli/complete_code.o: $(EMBEDDED)
$(PAGE_SOURCES:%.c=$(1)/obj/%.o): $(PAGE)
$(1)/obj/src/run/export_script.o: $(EXPORT_PREAMBLE)
$(1)/obj/src/cli/cmd_init.o: $(STARTER)
$(1)/parts.a: $(LIB_SOURCES:%.c=$(1)/obj/%.o)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && $(AR) rcs $$@ $$^

$(1)/ktstr: $(1)/obj/src/cli/main.o $(1)/parts.a
	$$(call say,LINK,$$@)
	$$(Q)$(3) $$(ALL_CFLAGS) $(2) $$(LDFLAGS) $$(EXPORT_API) -o $$@ $$^ $$(ALL_LIBS)

$(1)/cargo-ktstr: $(1)/ktstr
	@ln -sf ktstr $$@

$(1)/tests/unit/%: $(1)/obj/tests/unit/%.o $(UNIT_HELPERS:%.c=$(1)/obj/%.o) $(1)/parts.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(3) $$(ALL_CFLAGS) $(2) $$(LDFLAGS) $$(UNIT_LDFLAGS) $$(call wraps,$$<) -o $$@ $$^ -lcmocka $$(ALL_LIBS)

$(1)/obj/src/vm/guest_program.o: $(GUEST)
$(1)/obj/src/vm/observer_program.o: $(OBSERVER)
$(1)/obj/src/trace/plugin_file.o: $(PLUGIN)
$(1)/obj/src/vm/turns.o: $(TURNS)
$(1)/obj/src/battery/program_file.o: $(BATTERY)
$(1)/obj/src/fuzz/program_file.o: $(SCENARIO)
$(1)/obj/src/run/scenario_program.o: $(SCENFILE)

$(LIB_FIXTURES:%=$(1)/tests/fixtures/%): $(1)/tests/fixtures/%: $(1)/obj/tests/fixtures/%.o \
		$(1)/parts.a
	@mkdir -p $$(@D)
	$(3) $$(ALL_CFLAGS) $(2) $$(LDFLAGS) -o $$@ $$^ $$(ALL_LIBS)

-include $(patsubst %.c,$(1)/obj/%.d,$(SOURCES) $(UNIT_SOURCES) $(UNIT_HELPERS) \
	$(LIB_FIXTURES:%=tests/fixtures/%.c))
endef

# The guest's PID 1 reboots on fatal errors: tests must not reboot this machine. See
# tests/unit/unit.c.
UNIT_LDFLAGS := -Wl,--wrap=reboot
# A test with a function __wrap_NAME() replaces NAME(): $(call wraps,OBJECT) returns the linker
# options for that.
wraps = $$(symbols=$$($(NM) $(1)) && printf '%s\n' "$$symbols" | sed -nE 's/.* __wrap_(\w+)$$/-Wl,--wrap=\1/p' || echo $(NM)-failed)

# The values that `ktstr --version` prints: recompiled only if one of them changes.
DESCRIPTION := $(BUILD)/description
.PHONY: describe
describe:
$(DESCRIPTION): describe
	@mkdir -p $(@D)
	@commit=$$(grep -v Format .commit || git describe --always --dirty --exclude '*' 2>/dev/null) || \
		commit=unknown; \
	echo "-DKTSTR_COMMIT='\"$$commit\"' -DKTSTR_LIBBPF='\"$(LIBBPF)\"'" | cmp -s - $@ || \
	echo "-DKTSTR_COMMIT='\"$$commit\"' -DKTSTR_LIBBPF='\"$(LIBBPF)\"'" >$@
$(foreach dir,$(BUILD) $(BUILD)/asan $(BUILD)/coverage,$(dir)/obj/src/cli/version.o): $(DESCRIPTION)
%/src/cli/version.o: private CPPFLAGS += @$(DESCRIPTION)

$(eval $(call variant,$(BUILD),,$$(CC)))
# With -fsanitize=fuzzer-no-link, so that fuzzers can use the same objects. Line tables are enough
# for reports of sanitizers; some tests read their own debug information. Without optimization clang
# takes half the time, and no code is removed before the sanitizers see it.
REPORTED = -gline-tables-only
$(patsubst %,$(BUILD)/asan/obj/tests/unit/%.o,test_repro_plan test_repro_probed test_source_lines): private REPORTED = -g
$(eval $(call variant,$(BUILD)/asan,-O0 $$(REPORTED) $(SANITIZE) -fsanitize=fuzzer-no-link,$$(FUZZ_CC)))
$(BUILD)/asan/% $(BUILD)/fuzz/%: private LDFLAGS += $(FUZZ_LDFLAGS)
# Workers exit without exit(), and write their counts themselves if __gcov_dump is linked.
$(eval $(call variant,$(BUILD)/coverage,--coverage -fprofile-update=atomic -O0 -u __gcov_dump,$$(CC)))

unit_programs = $(UNIT_SOURCES:tests/unit/%.c=$(1)/tests/unit/%)
PROGRAMS := $(BUILD)/ktstr $(BUILD)/cargo-ktstr
FIXTURES := $(FIXTURE_SOURCES:tests/fixtures/%.c=$(BUILD)/tests/fixtures/%)
MAN_STAMP := $(BUILD)/man/.stamp
# Manual pages of the C API are generated from comments in its headers.
API_HEADERS := $(sort $(wildcard include/ktstr/*.h))
API_EXAMPLES := $(sort $(wildcard docs/man/examples/*.c))
API_STAMP := $(BUILD)/man/.api
# Prints the command table, for tests that compare it with the output of the program.
CLI_TABLE := $(BUILD)/tests/fixtures/cli_table

.PHONY: all
all: $(PROGRAMS) $(BUILD)/parts.a $(MAN_STAMP) $(API_STAMP) $(CLI_TABLE) $(AUTHOR) $(EXAMPLES) $(if $(CAN_BPF),$(SCX),no-scx-ktstr)

.PHONY: no-scx-ktstr
no-scx-ktstr:
	@echo '  SKIP    $(SCX): it needs $(BPF_CC), $(BPF_STRIP) and libbpf 1.4 (scripts/setup bpf)'

define compile_bpf
$(call say,BPF,$@)
$(Q)$(BPF_CC) -target bpf -mcpu=v3 -std=gnu17 -O2 -g -Wall $(if $(CI),-Werror) $(ANYWHERE) \
    $$($(PKG_CONFIG) --cflags libbpf) -c -o $@.debug $<
$(Q)$(BPF_STRIP) -g -o $@ $@.debug
endef

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(SCX_HEADERS)
	@mkdir -p $(@D)
	$(compile_bpf)

$(SCX): $(SCX_SOURCES) $(SCX_HEADERS) $(BUILD)/bpf/scx_ktstr.bpf.o include/ktstr/ktstr.h
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE $(CPPFLAGS) -std=gnu17 $(WARNINGS) $(CFLAGS) \
	    -DKTSTR_VERSION='"$(VERSION)"' -DSCX_KTSTR_OBJECT='"$(BUILD)/bpf/scx_ktstr.bpf.o"' \
	    -static -o $@ $(SCX_SOURCES) $$($(PKG_CONFIG) --static --cflags --libs libbpf)

ifeq ($(CAN_BPF),1)
# A build without a BPF compiler creates an empty file. Sets its time instead of removing it: make
# does not rebuild missing secondary prerequisites.
$(shell [ ! -e $(OBSERVER) ] || [ -s $(OBSERVER) ] || touch -d @0 $(OBSERVER))
OBSERVE_SOURCES := $(sort $(filter-out %.bpf.c,$(wildcard bpf/observe*.c))) bpf/elfutils.c
$(OBSERVER): $(OBSERVE_SOURCES) $(SCX_HEADERS) src/observe/layout.h \
		src/trace/calls.def src/trace/format.h $(BUILD)/bpf/observe.bpf.o $(BUILD)/bpf/probe.bpf.o
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE $(CPPFLAGS) -std=gnu17 $(WARNINGS) -Os -ffunction-sections -fdata-sections \
	    -DOBSERVE_OBJECT='"$(BUILD)/bpf/observe.bpf.o"' \
	    -DPROBE_OBJECT='"$(BUILD)/bpf/probe.bpf.o"' -static -Wl,--gc-sections -s -o $@ $(OBSERVE_SOURCES) \
	    $$($(PKG_CONFIG) --static --cflags --libs libbpf)
else
$(OBSERVER):
	@mkdir -p $(@D)
	@echo '  SKIP    $@: it needs $(BPF_CC), $(BPF_STRIP) and libbpf 1.4 (scripts/setup bpf)'
	$(Q): > $@
endif

$(BUILD)/bpf/observe.bpf.o: src/observe/layout.h
$(BUILD)/bpf/probe.bpf.o: src/trace/format.h

# Schedulers for tests of the checks: one BPF object each, with a common loader.
STRANGER_HEADERS := $(sort $(wildcard tests/schedulers/*.h)) $(SCX_HEADERS)
STRANGERS := $(patsubst tests/schedulers/%.bpf.c,$(BUILD)/tests/schedulers/%, \
	       $(sort $(wildcard tests/schedulers/*.bpf.c)))

$(BUILD)/tests/schedulers/%.bpf.o: tests/schedulers/%.bpf.c $(STRANGER_HEADERS)
	@mkdir -p $(@D)
	$(compile_bpf)

$(STRANGERS): $(BUILD)/tests/schedulers/%: $(BUILD)/tests/schedulers/%.bpf.o tests/schedulers/loader.c bpf/elfutils.c \
		$(wildcard tests/schedulers/*.user.c) $(STRANGER_HEADERS)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE $(CPPFLAGS) -std=gnu17 $(WARNINGS) $(CFLAGS) \
	    -DSCHEDULER_NAME='"$*"' -DSCHEDULER_OBJECT='"$<"' -static -o $@ \
	    tests/schedulers/loader.c bpf/elfutils.c $(wildcard tests/schedulers/$*.user.c) \
	    $$($(PKG_CONFIG) --static --cflags --libs libbpf)

# Man pages and completions are generated from the program's command table.
$(MAN_STAMP): $(BUILD)/ktstr
	@mkdir -p $(@D) && rm -f $(@D)/*.1
	$(call say,MAN,$(@D))
	$(Q)$(EMULATOR) $(BUILD)/ktstr generate-man $(@D)
	@touch $@

$(API_STAMP): scripts/man-api scripts/man-api.awk src/cli/man.c $(API_HEADERS) $(API_EXAMPLES)
	@mkdir -p $(@D) && rm -f $(@D)/*.3
	$(call say,MAN,$(@D)/ktstr_*.3)
	$(Q)scripts/man-api -v '$(VERSION)' -e docs/man/examples \
	    -d "$$(sed -n 's/^#define RELEASE_DATE "\(.*\)"/\1/p' src/cli/man.c)" $(@D) $(API_HEADERS)
	@touch $@

# Written each time: it depends on prefix.
.PHONY: $(BUILD)/ktstr.pc
$(BUILD)/ktstr.pc: ktstr.pc.in include/ktstr/ktstr.h
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(exec_prefix)|' \
	    -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
	    -e 's|@version@|$(VERSION)|' $< > $@

FIXTURE_LIBS_jemalloc-linked := -Wl,--no-as-needed -ljemalloc
FIXTURE_LIBS_jemalloc-static := -Wl,-u,mallctl -l:libjemalloc.a -lm -lstdc++
FIXTURE_LIBS_jemalloc-executable := -g
FIXTURE_LIBS_jemalloc-library := -g -shared -fPIC
FIXTURE_LIBS_loadable-tests := -shared -fPIC
FIXTURE_LIBS_other_day := -shared -fPIC
FIXTURE_LIBS_perfetto_facts := tests/unit/perfetto_check.c
$(BUILD)/tests/fixtures/perfetto_facts: tests/unit/perfetto_check.c
# Fixtures that link parts of ktstr.
PARTS_FIXTURES := cli_table flood_guest guest_files guest_run kvm_cpu perfetto_facts sandbox_guest scenario_guest sim_pinned vm_boot

# A variable, because a comma would end an argument of $(if).
PARTS_LIBS = -Wl,--as-needed $(BUILD)/parts.a $(ALL_LIBS)

# Test programs, built like those of test authors.
FIXTURE_LIBS_misbehave = -static -Wl,--gc-sections $(AUTHOR) -lm
$(BUILD)/tests/fixtures/misbehave: $(AUTHOR)

$(BUILD)/tests/fixtures/%: tests/fixtures/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(FIXTURE_LIBS_$*) -ldl \
		$(if $(filter $*,$(PARTS_FIXTURES)),$(PARTS_LIBS))

$(PARTS_FIXTURES:%=$(BUILD)/tests/fixtures/%): $(BUILD)/parts.a
$(BUILD)/tests/fixtures/loadable-tests: $(wildcard include/ktstr/*.h)

# libFuzzer has its own main(); the library is that of the tests with sanitizers.
$(BUILD)/fuzz/%: $(BUILD)/asan/obj/tests/fuzz/%.o $(BUILD)/asan/parts.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(ALL_CFLAGS) $(SANITIZE) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/fuzz/fuzz_trace: $(BUILD)/asan/obj/tests/unit/perfetto_check.o

-include $(patsubst %.c,$(BUILD)/asan/obj/%.d,$(FUZZ_SOURCES))

.PRECIOUS: $(BUILD)/%.o
.SECONDARY:

# With a PLT, each of a thousand workers would have to resolve every function.
$(BUILD)/obj/src/work/%.o $(BUILD)/asan/obj/src/work/%.o: private CPPFLAGS += -fno-plt

INSIDE_QEMU = -Isrc -D_GNU_SOURCE $(CPPFLAGS) -std=gnu17 $(WARNINGS) -O2 -fPIC -fvisibility=hidden \
	-shared -s

$(PLUGIN): $(sort $(wildcard src/trace/plugin/*.c src/trace/plugin/*.h)) src/trace/format.h \
		src/trace/debug_format.h src/vm/turns.h
	@mkdir -p $(@D)
	$(call say,PLUGIN,$@)
	$(Q)$(CC) $(INSIDE_QEMU) -o $@ $(filter %.c,$^)

$(TURNS): src/vm/preload/turns.c src/vm/turns.h
	@mkdir -p $(@D)
	$(call say,PRELOAD,$@)
	$(Q)$(CC) $(INSIDE_QEMU) -o $@ $<

$(BUILD)/guest/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(GUEST_CC) -D_GNU_SOURCE -Isrc $(CPPFLAGS) -std=gnu17 $(WARNINGS) $(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST): $(GUEST_SOURCES:%.c=$(BUILD)/guest/obj/%.o)
	$(call say,LINK,$@)
	$(Q)$(GUEST_CC) $(GUEST_LDFLAGS) -o $@ $^

-include $(GUEST_SOURCES:%.c=$(BUILD)/guest/obj/%.d)

$(BUILD)/author/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -D_GNU_SOURCE -Iinclude -Isrc $(CPPFLAGS) -std=gnu17 $(WARNINGS) $(AUTHOR_CFLAGS) \
		-MMD -MP -c -o $@ $<

$(BUILD)/author/ktstr.o: $(AUTHOR_SOURCES:%.c=$(BUILD)/author/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(LD) -r -o $@ $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='ktstr_*' --keep-global-symbol=main $@

$(AUTHOR): $(BUILD)/author/ktstr.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/examples/%: examples/%.c $(AUTHOR) $(wildcard include/ktstr/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(EXAMPLE_CFLAGS) $(EXAMPLE_LDFLAGS) -o $@ $< $(AUTHOR) -lm

$(BATTERY): $(BATTERY_SOURCES) $(BATTERY_PARTS) $(AUTHOR)
	$(call say,LINK,$@)
	$(Q)$(CC) -D_GNU_SOURCE $(EXAMPLE_CFLAGS) -Isrc $(EXAMPLE_LDFLAGS) -s -o $@ \
		$(BATTERY_SOURCES) $(AUTHOR) -lm -pthread

$(SCENARIO): $(patsubst %.c,$(BUILD)/author/obj/%.o,$(SCENARIO_SOURCES) $(AUTHOR_SOURCES))
	$(call say,LINK,$@)
	$(Q)$(CC) $(EXAMPLE_LDFLAGS) -s -o $@ $^ -lyaml -lm -pthread

$(SCENFILE): $(patsubst %.c,$(BUILD)/author/obj/%.o,$(SCENFILE_SOURCES) $(AUTHOR_SOURCES))
	$(call say,LINK,$@)
	$(Q)$(CC) $(EXAMPLE_LDFLAGS) -s -o $@ $^ -lyaml -lm -pthread

-include $(patsubst %.c,$(BUILD)/author/obj/%.d,$(SCENARIO_SOURCES) $(SCENFILE_SOURCES) $(AUTHOR_SOURCES))

# The entry points install first and then build with all CPUs, unless told otherwise.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Files that the test runner needs. `make check` uses the unit tests of the ASan build.
SCRIPTS_NEED = all $(FIXTURES) $(if $(CAN_BPF),$(STRANGERS))

.PHONY: check-quick-programs
check-quick-programs: $(SCRIPTS_NEED) $(call unit_programs,$(BUILD))

# For scripts/mutants, which links unit programs one by one; vm-programs: for its VM tests after a
# change.
.PHONY: mutants-programs vm-programs
mutants-programs: $(SCRIPTS_NEED) $(UNIT_SOURCES:%.c=$(BUILD)/obj/%.o)
vm-programs: $(PROGRAMS) $(AUTHOR) $(addprefix $(BUILD)/tests/fixtures/,guest_files guest_run loadable-tests)

.PHONY: check-programs
check-programs: $(SCRIPTS_NEED) $(BUILD)/asan/ktstr $(BUILD)/asan/cargo-ktstr \
		$(LIB_FIXTURES:%=$(BUILD)/asan/tests/fixtures/%) \
		$(call unit_programs,$(BUILD)/asan)

.PHONY: check
check:
	$(SETUP) build check vm bpf
	$(MAKE) $(JOBS) check-programs
	tests/run --once --slowest 10 --build $(BUILD) --build $(BUILD)/asan unit cli vm

# Builds everything for aarch64, for tests/vm/aarch64-watched.
.PHONY: cross
cross:
	$(SETUP) cross
	$(MAKE) $(JOBS) CROSS_COMPILE=aarch64-linux-gnu- BUILD=$(BUILD)/aarch64 all

# Like check, and with the parts of VM tests that take minutes of CPU time.
.PHONY: check-long
check-long:
	$(SETUP) build check vm bpf
	$(MAKE) $(JOBS) check-programs
	KTSTR_LONG=1 tests/run --once --slowest 10 --build $(BUILD) --build $(BUILD)/asan unit cli vm

.PHONY: check-quick
check-quick:
	$(SETUP) build check
	$(MAKE) $(JOBS) check-quick-programs
	tests/run --quick --build $(BUILD) unit cli

.PHONY: soak
soak:
	$(SETUP) build check vm bpf lint
	KTSTR_SOAK=1 scripts/lint tidy
	$(MAKE) $(JOBS) check-programs check-quick-programs
	KTSTR_SOAK=1 tests/run --slowest 10 --build $(BUILD) --build $(BUILD)/asan unit cli vm soak

.PHONY: demo
demo:
	$(SETUP) build vm bpf
	$(MAKE) $(JOBS) all
	scripts/demo $(BUILD)/ktstr

.PHONY: bench
bench:
	$(SETUP) build bench
	$(MAKE) $(JOBS) all
	bench/run $(BUILD)

.PHONY: lint
lint:
	$(SETUP) build check lint
	scripts/lint

.PHONY: fuzz
fuzz:
	$(SETUP) build check
	$(MAKE) $(JOBS) $(FUZZERS)
	tests/fuzz/run --seconds $(FUZZ_SECONDS) --runs $(FUZZ_RUNS) --seed $(FUZZ_SEED) $(FUZZERS)

# Finds changes to logic that no test detects: ROOM=stats, SINCE=COMMIT or each room, COUNT=30
# SEED=1.
.PHONY: mutants
mutants:
	$(SETUP) build check vm bpf
	scripts/mutants $(if $(ROOM)$(SINCE),,--each-room) $(foreach room,$(ROOM),--room '$(room)') \
		$(if $(SINCE),--since '$(SINCE)') \
		$(if $(COUNT),--count '$(COUNT)') $(if $(SEED),--seed '$(SEED)')

.PHONY: coverage
coverage:
	$(SETUP) build check
	$(MAKE) $(JOBS) all $(BUILD)/coverage/ktstr $(BUILD)/coverage/cargo-ktstr $(FIXTURES) \
		$(LIB_FIXTURES:%=$(BUILD)/coverage/tests/fixtures/%) \
		$(call unit_programs,$(BUILD)/coverage)
	find $(BUILD)/coverage -name '*.gcda' -delete
	# Unprivileged tests fail to write counters, so failures are ignored here; see check.
	-tests/run --build $(BUILD)/coverage unit cli
	gcovr --root . --filter src/ --gcov-ignore-parse-errors --object-directory $(BUILD)/coverage --print-summary \
		--txt $(BUILD)/coverage/report.txt

# Archive of the sources of HEAD, reproducible for a commit.
DIST := $(BUILD)/ktstr-$(VERSION).tar.gz
.PHONY: dist
dist:
	@mkdir -p $(BUILD)
	git -c tar.umask=0022 archive --format=tar --prefix=ktstr-$(VERSION)/ HEAD | gzip -9n > $(DIST)

# Debian packages of HEAD, in build/deb, built in a clean Debian 12; DEB_ROOM=here: on this machine.
DEB := $(BUILD)/deb
DEB_ROOM ?= clean
.PHONY: deb
deb:
	$(SETUP) deb $(if $(filter here,$(DEB_ROOM)),build bpf docs)
	$(MAKE) dist
	rm -rf $(DEB) && mkdir -p $(DEB)
	scripts/deb $(DIST) $(DEB) $(DEB_ROOM)
	lintian --fail-on error,warning $(DEB)/*.changes

# The pictures of the README, from a run of the tutorial.
.PHONY: pictures
pictures: $(BUILD)/ktstr
	$(SETUP) build vm bpf check
	scripts/pictures $(BUILD)/ktstr docs/pictures

# The guides as a site without external resources, in build/docs-html; its search works with
# file:// URLs, too.
.PHONY: docs-html
docs-html:
	$(SETUP) docs
	sphinx-build -q -W --keep-going -c docs/site -b html -d $(BUILD)/doctrees docs $(BUILD)/docs-html

.PHONY: install
install: all $(BUILD)/ktstr.pc
	install -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libdir)/pkgconfig" "$(DESTDIR)$(includedir)/ktstr" \
		"$(DESTDIR)$(mandir)/man1" "$(DESTDIR)$(mandir)/man3" \
		"$(DESTDIR)$(datadir)/bash-completion/completions" \
		"$(DESTDIR)$(datadir)/zsh/site-functions" \
		"$(DESTDIR)$(datadir)/fish/vendor_completions.d"
	install -m 755 $(BUILD)/ktstr "$(DESTDIR)$(bindir)/ktstr"
	ln -sf ktstr "$(DESTDIR)$(bindir)/cargo-ktstr"
	install -m 644 $(AUTHOR) "$(DESTDIR)$(libdir)/libktstr.a"
	[ ! -x $(SCX) ] || install -m 755 $(SCX) "$(DESTDIR)$(bindir)/scx-ktstr"
	[ ! -x $(SCX) ] || install -m 644 docs/man/scx-ktstr.1 "$(DESTDIR)$(mandir)/man1/scx-ktstr.1"
	install -m 644 $(BUILD)/ktstr.pc "$(DESTDIR)$(libdir)/pkgconfig/ktstr.pc"
	install -m 644 include/ktstr/*.h "$(DESTDIR)$(includedir)/ktstr"
	install -m 644 $(BUILD)/man/*.1 "$(DESTDIR)$(mandir)/man1"
	install -m 644 docs/man/ktstr.3 $(BUILD)/man/*.3 "$(DESTDIR)$(mandir)/man3"
	for page in $(BUILD)/man/ktstr*.1; do \
		ln -sf "$${page##*/}" "$(DESTDIR)$(mandir)/man1/cargo-$${page##*/}"; done
	$(BUILD)/ktstr completions bash > "$(DESTDIR)$(datadir)/bash-completion/completions/ktstr"
	$(BUILD)/ktstr completions bash --binary cargo-ktstr > \
		"$(DESTDIR)$(datadir)/bash-completion/completions/cargo-ktstr"
	$(BUILD)/cargo-ktstr completions zsh > "$(DESTDIR)$(datadir)/zsh/site-functions/_cargo-ktstr"
	$(BUILD)/cargo-ktstr completions fish > \
		"$(DESTDIR)$(datadir)/fish/vendor_completions.d/cargo-ktstr.fish"
	$(BUILD)/ktstr completions zsh > "$(DESTDIR)$(datadir)/zsh/site-functions/_ktstr"
	$(BUILD)/ktstr completions fish > "$(DESTDIR)$(datadir)/fish/vendor_completions.d/ktstr.fish"

.PHONY: clean
clean:
	rm -rf $(BUILD)
