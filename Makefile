# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for what one does most; everything else is CMake's (see CMakePresets.json).

JOBS ?= $(shell nproc)
BUILD := build/release

.PHONY: build demo test test-long test-fresh bench clean deps

build: deps
	cmake --preset release
	cmake --build --preset release -j$(JOBS)

deps:
	@scripts/install-deps

demo: build
	scripts/demo $(BUILD)

test: build
	scripts/run-tests --build $(BUILD) --jobs $(JOBS)

test-long: build
	scripts/run-tests --build $(BUILD) --jobs $(JOBS) --long

# Brings a system of its own: what this one lacks shall not matter, and what it has shall not help.
test-fresh:
	scripts/test-fresh --jobs $(JOBS)

bench: build
	python3 bench/overhead.py --build $(BUILD)
	python3 bench/compile_time.py --build $(BUILD)
	python3 bench/traffic.py --build $(BUILD)

clean:
	rm -rf build
