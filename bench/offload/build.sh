#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: build.sh [FOLDER]
# Builds the programs with clang's own offloading into FOLDER (default: bin beside this script), for
# ARCH (sm_90 unless set), in two spellings each (NAME and NAME-loop), and puts the libraries beside
# them that they need, so that the folder can be carried to a machine with a GPU. Needs clang-19,
# libomp-19-dev, the CUDA toolkit, and a ptxas of CUDA 12 as PTXAS: libomptarget of LLVM 19 reads the
# architecture of an image where CUDA 12 wrote it, and takes images of CUDA 13 for those of no device
# (PyPI's nvidia-cuda-nvcc-cu12 contains one).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here/bin}
arch=${ARCH:-sm_90}
clang=${CLANG:-clang-19}
ptxas=${PTXAS:-ptxas}
cuda=${CUDA_HOME:-/usr/local/cuda}
libraries=${LLVM_LIBRARIES:-/usr/lib/llvm-19/lib}
mkdir -p "$to"
to=$(cd "$to" && pwd)
case $("$ptxas" --version) in
*"release 12."*) ;;
*) echo "build.sh: $ptxas is not that of CUDA 12; set PTXAS" >&2; exit 1 ;;
esac
build() { # NAME PROGRAM SPELLING OPTION...
  source=$here/$1.c file=$to/$2 spelling=$3
  shift 3
  set -- "-DSPREAD=$spelling" "$@" -O3 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda \
    -Xopenmp-target -march="$arch" --cuda-path="$cuda" \
    -Wno-unknown-cuda-version
  # clang does not link the libraries of the device when it stops at assembly. The host's pass gets
  # them, too, and warns.
  "$clang" "$@" --offload-device-only -S "$source" -o "$file.ptx" \
    -Xclang -mlink-builtin-bitcode -Xclang "$libraries/libomptarget-nvptx-$arch.bc" \
    -Xclang -mlink-builtin-bitcode -Xclang "$cuda/nvvm/libdevice/libdevice.10.bc" \
    -Wno-linker-warnings
  "$ptxas" -O3 -arch="$arch" "$file.ptx" -o "$file.cubin" || return 1
  "$clang" "$@" "$source" -o "$file" -lm -Wl,-rpath,'$ORIGIN' -Wl,--disable-new-dtags \
    -Wl,--override-image="openmp=$file.cubin" \
    --libomptarget-nvptx-bc-path="$libraries/libomptarget-nvptx-$arch.bc"
  rm "$file.ptx" "$file.cubin"
}
both() { # PROGRAM NAME OPTION...
  program=$1 name=$2
  shift 2
  build "$name" "$program" "target teams distribute parallel for" "$@"
  # Some need a function of the device's runtime that only later passes ask for.
  build "$name" "$program-loop" "target teams loop" "$@" ||
    echo "build.sh: left out $program-loop" >&2
}
for name in jacobi sor nbody kmeans stream heat3d matmul; do
  both $name $name
done
both jacobif jacobi -DREAL=float '-DNAME="jacobif"'
both heat3d_402 heat3d -DPOINTS=402 '-DNAME="heat3d_402"'
both nbody_fast nbody -ffast-math '-DNAME="nbody_fast"'
# libomptarget brings libLLVM, to compile at run time, and all that it is linked with. Only glibc and
# the C++ library are expected on the other machine.
for library in $(ldd "$libraries/libomptarget.so.19.1" | sed -n 's/.* => \([^ ]*\) .*/\1/p' |
  grep -v -E '/lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so') "$libraries/libomptarget.so.19.1"; do
  cp -L "$library" "$to/"
done
# Packed it is small enough to be carried: tar cJf offload.tar.xz FOLDER, and there
# LD_LIBRARY_PATH=FOLDER FOLDER/jacobi ... with a libcuda.so among the libraries.
