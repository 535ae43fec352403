#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: build.sh [FOLDER]
# Builds the hand-written CUDA programs into FOLDER (default: bin beside this script), for the GPU of
# this machine, or for ARCH (sm_90) where that is set. Needs nvcc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here/bin}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$to"
compile() { # program, source, further options
  program=$1 source=$2
  shift 2
  "$nvcc" -O3 -std=c++17 -arch="${ARCH:-native}" -cudart static "$@" \
    -o "$to/$program" "$here/$source.cu"
}
for name in sor kmeans stream heat3d matmul changes moving jacobi16k; do
  compile $name $name
done
compile jacobi jacobi '-DREAL=double' '-DNAME="jacobi"'
compile jacobif jacobi '-DREAL=float' '-DNAME="jacobif"'
compile heat3d_402 heat3d -DPOINTS=402 '-DNAME="heat3d_402"'
compile nbody nbody '-DNAME="nbody"'
compile nbody_fast nbody -DFAST '-DNAME="nbody_fast"'
