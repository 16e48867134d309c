# glshape: everything is built into build/. `make` builds, `make check` tests; README.md has the rest.
CC ?= cc
PREFIX ?= /usr/local
OPT ?= -O2 -g
VARIANT ?=
BUILD := build$(VARIANT)

PACKAGES := epoxy egl libpng zlib
CFLAGS := -std=c11 $(OPT) -Wall -Wextra -Wpedantic -fPIC -fvisibility=hidden -ffp-contract=off -MMD -MP \
	-D_POSIX_C_SOURCE=200809L -Iinclude -Isrc $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(EXTRA)
LDLIBS = $(shell pkg-config --libs $(PACKAGES)) -lm -pthread

LIBRARY := base gpu prim dist mds
SHADERS := $(shell find glsl -name '*.glsl' | sort)
objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)))
LIB_OBJ := $(call objects,$(LIBRARY:%=src/%/*.c)) $(BUILD)/shaders.o
APP_OBJ := $(call objects,src/io/*.c src/plot/*.c)
CLI_OBJ := $(call objects,src/cli/*.c)
TEST_OBJ := $(call objects,tests/*.c tests/*/*.c)

all: $(BUILD)/glshape $(BUILD)/libglshape.a $(BUILD)/libglshape.so

$(BUILD)/glshape: $(CLI_OBJ) $(APP_OBJ) $(LIB_OBJ)
	$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/check: $(TEST_OBJ) $(APP_OBJ) $(LIB_OBJ)
	$(CC) $(CFLAGS) $^ $(LDLIBS) $$(pkg-config --libs check) -o $@
$(BUILD)/shaders.c: $(SHADERS) tools/embed-shaders
	@mkdir -p $(@D)
	tools/embed-shaders glsl > $@.new && mv $@.new $@
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(filter tests/%,$<),-Itests) -c $< -o $@
$(BUILD)/shaders.o: $(BUILD)/shaders.c
	$(CC) $(CFLAGS) -c $< -o $@

-include $(LIB_OBJ:.o=.d) $(APP_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d)
.PHONY: all
