#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: build.sh [FOLDER]
# Builds the programs with clang's own offloading into FOLDER (default: bin beside this script), for
# ARCH (sm_90 unless set), and puts the libraries beside them that they need, so that the folder can
# be carried to a machine with a GPU. Needs clang-19, libomp-19-dev and the CUDA toolkit.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here/bin}
arch=${ARCH:-sm_90}
clang=${CLANG:-clang-19}
libraries=${LLVM_LIBRARIES:-/usr/lib/llvm-19/lib}
mkdir -p "$to"
for name in jacobi matmul stream; do
  "$clang" -O3 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target -march="$arch" \
    --cuda-path="${CUDA_HOME:-/usr/local/cuda}" -Wno-unknown-cuda-version \
    --libomptarget-nvptx-bc-path="$libraries/libomptarget-nvptx-$arch.bc" \
    "$here/$name.c" -o "$to/$name" -lm -Wl,-rpath,'$ORIGIN' -Wl,--disable-new-dtags
done
# libomptarget brings libLLVM, to compile at run time, and all that it is linked with. Only glibc and
# the C++ library are expected on the other machine.
for library in $(ldd "$libraries/libomptarget.so.19.1" | sed -n 's/.* => \([^ ]*\) .*/\1/p' |
  grep -v -E '/lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so') "$libraries/libomptarget.so.19.1"; do
  cp -L "$library" "$to/"
done
# Packed it is small enough to be carried: tar cJf offload.tar.xz FOLDER, and there
# LD_LIBRARY_PATH=FOLDER FOLDER/jacobi ...
