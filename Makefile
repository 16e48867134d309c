# glshape: everything is built into build/. README.md says what each target is for.
MAKEFLAGS += -r
# All processors, unless the user says how many. Several goals are made one after the other: `make clean all`.
ifeq ($(MAKELEVEL)$(filter-out 0 1,$(words $(MAKECMDGOALS)))$(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif
CC ?= cc
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# The interpreter that the Python package is installed for; empty: none.
PYTHON ?= python3
OPT ?= -O2 -g
# MPI=1: ranks over MPI (src/ranks/README.md), in a build of its own.
MPI ?=
BUILD ?= build$(if $(MPI),/mpi)
ifneq ($(words $(BUILD)),1)
$(error BUILD is '$(BUILD)'; make cannot build in a folder with a space in its name (PREFIX and DESTDIR may have them))
endif
VERSION := $(shell sed -n 's/^.define GLSHAPE_VERSION "\(.*\)"/\1/p' include/glshape.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

PACKAGES := epoxy egl libpng zlib gmp
CFLAGS ?= $(OPT)
# Without -flto, whatever CFLAGS says: symbols can be made local in machine code only.
ALL_CFLAGS = -std=c11 -Wall -Wextra -Wpedantic -fPIC -fvisibility=hidden -ffp-contract=off -MMD -MP \
	-D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -Itests $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(CPPFLAGS) $(CFLAGS) -fno-lto
LIB_LIBS = $(shell pkg-config --libs epoxy egl gmp libpng $(filter mpi-c,$(PACKAGES))) -lm -pthread
APP_LIBS = $(shell pkg-config --libs $(PACKAGES)) -lm -ldl -pthread

RANKS := src/ranks/ranks.c src/ranks/fetch.c src/ranks/$(if $(MPI),mpi,serial).c
ifneq ($(MPI),)
# The compiler mpicc of the PATH is of the same MPI as its mpirun; where several are installed, pkg-config may name another.
# It takes the place of cc, not of a compiler that the user names.
ifneq ($(if $(filter default file,$(origin CC)),$(shell command -v mpicc)),)
CC := mpicc
$(if $(shell printf '\043include <mpi.h>\n' | mpicc -E - >/dev/null 2>&1 && echo yes),,$(error mpicc finds no mpi.h: install the headers of its MPI (on Debian: libopenmpi-dev or libmpich-dev), or choose another by update-alternatives --config mpi, and mpirun))
else ifeq ($(shell pkg-config --exists mpi-c && echo yes),yes)
PACKAGES += mpi-c
else
$(error make MPI=1 needs an MPI: its compiler mpicc or its pkg-config file mpi-c (on Debian: packages mpich and libmpich-dev))
endif
endif

# COMMON: where all objects but those of src/ranks are. Only these know of MPI, so a build with MPI can take the others as they
# are from one without.
COMMON ?= $(BUILD)
objects = $(patsubst %.c,$(COMMON)/%.o,$(sort $(wildcard $(1))))
LIB_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(RANKS)) $(call objects,src/base/*.c src/exact/*.c src/persistence/*.c src/run/*.c src/gpu/*.c src/place/*.c src/prim/*.c src/dist/*.c src/tree/*.c src/index/*.c src/delaunay/*.c \
	src/neighbors/*.c src/knn/*.c src/linkage/*.c src/hdbscan/*.c src/mds/*.c src/rips/*.c src/field/*.c src/mergetree/*.c src/cubical/*.c src/alpha/*.c src/compare/*.c src/plot/*.c) $(COMMON)/shaders.o $(COMMON)/page-files.o
APP_OBJ := $(call objects,src/io/*.c src/io/*/*.c src/cloud/*.c)
CLI_OBJ := $(call objects,src/cli/*.c)
TEST_OBJ := $(call objects,tests/*.c $(filter-out tests/fuzz/% tests/faults/%,$(wildcard tests/*/*.c))) $(BUILD)/test-shaders.o
FUZZ_READERS_OBJ := $(call objects,tests/fuzz/readers.c src/io/*.c src/io/*/*.c src/cloud/*.c src/base/*.c)
FUZZ_METHODS_OBJ := $(call objects,tests/fuzz/methods.c tests/reference/*.c) $(LIB_OBJ)
DUMP_OBJ := $(call objects,tools/*.c)
MANUAL_OBJ := $(call objects,tools/manual/*.c $(filter-out src/cli/main.c src/cli/help.c,$(wildcard src/cli/*.c)))
SHADERS := $(shell find glsl tests/glsl -name '*.glsl')
PAGE := $(wildcard src/plot/page/*.js src/plot/page/page.*)

all: $(BUILD)/glshape $(BUILD)/libglshape.a $(BUILD)/libglshape.so.$(SOVERSION) $(BUILD)/man/glshape.1 $(BUILD)/man/glshape.3

$(BUILD)/glshape: $(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(APP_LIBS) -o $@
$(BUILD)/check-glshape: $(TEST_OBJ) $(BUILD)/src/cli/terminal.o $(APP_OBJ) $(filter-out %/shaders.o,$(LIB_OBJ))
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(APP_LIBS) $$(pkg-config --libs check) -o $@
$(BUILD)/dump-shaders: $(DUMP_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(APP_LIBS) -o $@

# Man pages and completions, from the tables of options and from the header. SOURCE_DATE_EPOCH dates the pages.
MANUAL_DATE = $$(date -u -d "@$${SOURCE_DATE_EPOCH:-$$(date +%s)}" +%Y-%m-%d)
$(BUILD)/manual: $(MANUAL_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(APP_LIBS) -o $@
$(BUILD)/man/glshape.1: $(BUILD)/manual
	@mkdir -p $(BUILD)/man $(BUILD)/completions
	$(BUILD)/manual $(BUILD) $(MANUAL_DATE)
$(BUILD)/man/glshape.3: tools/manual/library include/glshape.h
	@mkdir -p $(@D)
	tools/manual/library $(MANUAL_DATE) <include/glshape.h >$@.new && mv $@.new $@

$(BUILD)/fuzz-readers: $(FUZZ_READERS_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(APP_LIBS) -o $@
$(BUILD)/fuzz-methods: $(FUZZ_METHODS_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(APP_LIBS) -o $@

# The libraries show glshape_* and nothing else: hidden symbols become local before the archive is made. dlclose does not unload the
# shared one, because threads that rest are in it.
$(BUILD)/libglshape.a: $(LIB_OBJ)
	@echo "  LINK $@"
	@$(LD) -r $^ -o $(BUILD)/libglshape.o
	@objcopy --localize-hidden $(BUILD)/libglshape.o
	@rm -f $@ && $(AR) rcs $@ $(BUILD)/libglshape.o
$(BUILD)/libglshape.so.$(SOVERSION): $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,-z,nodelete $^ $(LIB_LIBS) -o $@

# For a wheel: it finds the libraries that are carried beside it.
$(BUILD)/wheel/libglshape.so.$(SOVERSION): $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN' $^ $(LIB_LIBS) -o $@
	@strip --strip-unneeded $@
$(BUILD)/wheel/glshape: $(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib/glshape' $^ $(APP_LIBS) -o $@
	@strip $@

$(BUILD)/shaders.c: tools/embed-shaders $(SHADERS)
	@mkdir -p $(@D)
	tools/embed-shaders glsl > $@.new && mv $@.new $@
$(BUILD)/test-shaders.c: tools/embed-shaders $(SHADERS)
	@mkdir -p $(@D)
	tools/embed-shaders glsl tests/glsl > $@.new && mv $@.new $@
$(BUILD)/page-files.c: tools/embed-page $(PAGE)
	@mkdir -p $(@D)
	tools/embed-page src/plot/page > $@.new && mv $@.new $@
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -c $< -o $@
# The command as if 32 bits numbered 5000 vertices, no edges between basins were too few for the GPU, every other rank's
# device had no room for lists of all points' neighbors, and small messages were fetched, too, but by rank 2; for check-ranks.
WIDE := $(addsuffix .o,src/io/field/grid src/cli/field_input src/mergetree/mergetree src/place/place src/place/amounts $(if $(MPI),src/ranks/mpi))
WIDE_DEFINES := -DMATRIX_MOST_VERTICES=5000 -DPLACE_FOR_TESTS_OF_RANKS -DFETCH_LEAST=64 -DFETCH_FORBIDDEN=2
$(BUILD)/wide/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $< (wide)"
	@$(CC) $(ALL_CFLAGS) $(WIDE_DEFINES) -c $< -o $@
$(BUILD)/wide/glshape: $(filter-out $(addprefix $(BUILD)/,$(WIDE)) $(addprefix $(COMMON)/,$(WIDE)),$(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)) $(addprefix $(BUILD)/wide/,$(WIDE))
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(APP_LIBS) -o $@
$(BUILD)/shaders.o $(BUILD)/test-shaders.o $(BUILD)/page-files.o: %.o: %.c
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c $< -o $@

# ---- for users ------------------------------------------------------------------------------------

demo:
	tools/bootstrap build
	$(MAKE) all
	tools/demo

# A wheel of Python that needs no other library than a driver; its tag says the oldest glibc that it runs with, which is
# that of this system: tools/wheel makes one in Debian 11.
wheel: $(BUILD)/libglshape.so.$(SOVERSION) $(BUILD)/wheel/libglshape.so.$(SOVERSION) $(BUILD)/wheel/glshape
	$(or $(PYTHON),python3) src/python/backend.py wheel $(BUILD)/wheel $(BUILD)/wheel/libglshape.so.$(SOVERSION) $(BUILD)/wheel/glshape

check:
	tools/bootstrap
	$(MAKE) all $(BUILD)/check-glshape
	tools/check $(BUILD)

# Every command on 1 to 4 ranks, beside the same without MPI.
check-ranks:
	tools/bootstrap hunt
	$(MAKE) MPI= BUILD=build build/glshape
	$(MAKE) MPI=1 BUILD=build/mpi COMMON=build build/mpi/glshape build/mpi/wide/glshape
	tools/check-ranks build/glshape build/mpi/glshape

# All of check with more of what it draws at random, and fuzzers, doubt, signals and installation for some minutes.
check-all:
	tools/bootstrap hunt
	$(MAKE) all $(BUILD)/check-glshape
	$(MAKE) $(FUZZ_BUILD)
	$(MAKE) MPI=1 BUILD=build/mpi COMMON=build build/mpi/glshape build/mpi/wide/glshape
	tools/check-all $(BUILD) build/fuzz build/mpi

check-asan:
	tools/bootstrap
	$(MAKE) BUILD=build/asan CFLAGS="-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer" \
		build/asan/glshape build/asan/check-glshape
	tools/check build/asan

# Every shader through the compilers of other vendors' drivers, without their cards; as root.
check-vendors: $(BUILD)/dump-shaders
	tools/check-vendors $(BUILD)

# The tests on virgl, the driver of GPUs in virtual machines.
check-virgl: all $(BUILD)/check-glshape
	tools/check-virgl $(BUILD)

# The k-th allocation, file operation, texture, … fails, for every k and every command.
FAULT_CALLS = malloc calloc realloc open_memstream fopen fdopen open read pread fread write pwrite fwrite fflush ftruncate \
	fsync rename link mkstemp mmap pthread_create glshape_close
faults:
	$(MAKE) BUILD=build/faults CFLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
		build/faults/glshape-faults
	tools/faults build/faults/glshape-faults
$(BUILD)/glshape-faults: $(BUILD)/tests/faults/faults.o $(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(FAULT_CALLS:%=-Wl,--wrap=%) $^ $(APP_LIBS) -o $@

# The tests with no more images, textures and groups than OpenGL 4.3 guarantees. llvmpipe has more of these; of shared
# memory and of a texture's size it has what is guaranteed.
check-least:
	tools/bootstrap
	$(MAKE) BUILD=build/least CPPFLAGS=-DGPU_LEAST build/least/glshape build/least/check-glshape
	tools/check build/least

# The suites of what threads share, under ThreadSanitizer, on llvmpipe; the driver's own threads are not looked at.
check-tsan:
	tools/bootstrap
	$(MAKE) BUILD=build/tsan CFLAGS="-O1 -g -fsanitize=thread" build/tsan/check-glshape
	for suite in base/threads io/block io/edges dist/pager dist/paths io/distances_check rips rips/twin rips/collapse rips/sweep rips_cocycles persistence/sparse cubical/twin cubical/ways gpu/small linkage linkage/across knn delaunay mergetree/contour_twin; do \
		TSAN_OPTIONS="suppressions=tools/tsan.supp exitcode=66 die_after_fork=0" LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe \
			CK_RUN_SUITE=$$suite build/tsan/check-glshape || exit 1; \
	done

# FUZZ: seconds for each reader and each method. Needs clang with libFuzzer.
FUZZ ?= 60
FUZZ_CFLAGS = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
              -fsanitize-coverage-ignorelist=tests/fuzz/uncovered.txt
FUZZ_BUILD = BUILD=build/fuzz CC=clang CFLAGS="$(FUZZ_CFLAGS)" build/fuzz/fuzz-readers build/fuzz/fuzz-methods
fuzz:
	$(MAKE) $(FUZZ_BUILD)
	tools/fuzz build/fuzz $(FUZZ)

lint: all $(BUILD)/dump-shaders
	tools/lint $(BUILD)

bench: all
	tools/bench

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.glsl')

install: export PREFIX := $(PREFIX)
install: export DESTDIR := $(DESTDIR)
install: export LIBDIR := $(LIBDIR)
install: export PYTHON := $(PYTHON)
install: all
	@tools/install $(BUILD) $(VERSION)
check-install: all
	tools/check-install $(BUILD)

# Debian packages, in build/deb; check-deb also installs, uses and removes them, as root.
deb:
	tools/bootstrap deb
	tools/deb build/deb $(VERSION)
check-deb: deb
	tools/check-deb build/deb

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all demo check check-all check-asan check-ranks check-install check-tsan check-deb check-vendors check-virgl check-least deb faults fuzz lint bench format install wheel clean
.SECONDARY:
