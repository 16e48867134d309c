# glshape: everything is built into build/. README.md says what each target is for.
MAKEFLAGS += -r
CC ?= cc
PREFIX ?= /usr/local
OPT ?= -O2 -g
BUILD ?= build
VERSION := $(shell sed -n 's/^.define GLSHAPE_VERSION "\(.*\)"/\1/p' include/glshape.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

PACKAGES := epoxy egl libpng zlib gmp
CFLAGS ?= $(OPT)
ALL_CFLAGS = -std=c11 -Wall -Wextra -Wpedantic -fPIC -fvisibility=hidden -ffp-contract=off -MMD -MP \
	-D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -Itests $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(CFLAGS)
LIB_LIBS = $(shell pkg-config --libs epoxy egl gmp) -lm -pthread
APP_LIBS = $(shell pkg-config --libs $(PACKAGES)) -lm -pthread

objects = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard $(1))))
LIB_OBJ := $(call objects,src/base/*.c src/gpu/*.c src/prim/*.c src/dist/*.c src/tree/*.c \
	src/knn/*.c src/linkage/*.c src/mds/*.c src/rips/*.c src/mergetree/*.c src/alpha/*.c) $(BUILD)/shaders.o
APP_OBJ := $(call objects,src/io/*.c src/plot/*.c)
CLI_OBJ := $(call objects,src/cli/*.c)
TEST_OBJ := $(call objects,tests/*.c tests/*/*.c) $(BUILD)/test-shaders.o
DUMP_OBJ := $(call objects,tools/*.c)
SHADERS := $(shell find glsl tests/glsl -name '*.glsl')

all: $(BUILD)/glshape $(BUILD)/libglshape.a $(BUILD)/libglshape.so.$(SOVERSION)

$(BUILD)/glshape: $(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(APP_LIBS) -o $@
$(BUILD)/check-glshape: $(TEST_OBJ) $(BUILD)/src/cli/terminal.o $(APP_OBJ) $(filter-out %/shaders.o,$(LIB_OBJ))
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(APP_LIBS) $$(pkg-config --libs check) -o $@
$(BUILD)/dump-shaders: $(DUMP_OBJ) $(APP_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) $^ $(APP_LIBS) -o $@

# The libraries show glshape_* and nothing else: hidden symbols become local before the archive is made.
$(BUILD)/libglshape.a: $(LIB_OBJ)
	@echo "  LINK $@"
	@$(LD) -r $^ -o $(BUILD)/libglshape.o
	@objcopy --localize-hidden $(BUILD)/libglshape.o
	@rm -f $@ && $(AR) rcs $@ $(BUILD)/libglshape.o
$(BUILD)/libglshape.so.$(SOVERSION): $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs $^ $(LIB_LIBS) -o $@

$(BUILD)/shaders.c: tools/embed-shaders $(SHADERS)
	@mkdir -p $(@D)
	tools/embed-shaders glsl > $@.new && mv $@.new $@
$(BUILD)/test-shaders.c: tools/embed-shaders $(SHADERS)
	@mkdir -p $(@D)
	tools/embed-shaders glsl tests/glsl > $@.new && mv $@.new $@
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -c $< -o $@
$(BUILD)/shaders.o $(BUILD)/test-shaders.o: %.o: %.c
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c $< -o $@

# ---- for users ------------------------------------------------------------------------------------

demo:
	tools/bootstrap
	$(MAKE) all
	tools/demo

check:
	tools/bootstrap
	$(MAKE) all $(BUILD)/check-glshape
	tools/check $(BUILD)

check-asan:
	tools/bootstrap
	$(MAKE) BUILD=build/asan CFLAGS="-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer" \
		build/asan/glshape build/asan/check-glshape
	tools/check build/asan

lint: all $(BUILD)/dump-shaders
	tools/lint $(BUILD)

bench: all
	tools/bench

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install $(BUILD)/glshape $(DESTDIR)$(PREFIX)/bin/
	install -m 644 include/glshape.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(BUILD)/libglshape.a $(DESTDIR)$(PREFIX)/lib/
	install $(BUILD)/libglshape.so.$(SOVERSION) $(DESTDIR)$(PREFIX)/lib/
	ln -sf libglshape.so.$(SOVERSION) $(DESTDIR)$(PREFIX)/lib/libglshape.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' tools/glshape.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/glshape.pc

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all demo check check-asan lint bench format install clean
.SECONDARY:
