# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for what one does most; everything else is CMake's (see CMakePresets.json).

JOBS ?= $(shell nproc)
BUILD := build/release

.PHONY: build demo test bench clean deps

build: deps
	cmake --preset release
	cmake --build --preset release -j$(JOBS)

deps:
	@scripts/install-deps

demo: build
	scripts/demo $(BUILD)

test: build
	scripts/run-tests --build $(BUILD) --jobs $(JOBS)

bench: build
	python3 bench/overhead.py --build $(BUILD)
	python3 bench/compile_time.py --build $(BUILD)
	python3 bench/traffic.py --build $(BUILD)

clean:
	rm -rf build
