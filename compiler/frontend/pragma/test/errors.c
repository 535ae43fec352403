// Every mistake in `#pragma tutti` is an error at its place.
// RUN: not clang -fopenmp -fplugin=%frontend -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not clang -fopenmp -fplugin=%frontend -fsyntax-only -fdiagnostics-parseable-fixits %s 2>&1 | FileCheck %s --check-prefix=FIX
void f(int n, int *x) {
  // CHECK: :[[@LINE+2]]:24: error: unknown device kind 'gqu'; did you mean 'gpu'? Valid are auto, cpu, gpu, cuda, opencl, hybrid
  // FIX: fix-it:"{{.*}}":{[[@LINE+1]]:24-[[@LINE+1]]:27}:"gpu"
  #pragma tutti device(gqu)
  // CHECK: :[[@LINE+2]]:17: error: unknown clause 'devise'; did you mean 'device'? Valid are device, grid, block
  // FIX: fix-it:"{{.*}}":{[[@LINE+1]]:17-[[@LINE+1]]:23}:"device"
  #pragma tutti devise(gpu)
  // CHECK: :[[@LINE+1]]:24: error: unknown device kind 'fpga'; valid are auto
  #pragma tutti device(fpga)
  // CHECK: :[[@LINE+1]]:17: error: unknown clause 'shape'; valid are device
  #pragma tutti shape(3)
  // CHECK: :[[@LINE+1]]:16: error: '#pragma tutti' needs a clause: device, grid or block
  #pragma tutti
  // CHECK: :[[@LINE+1]]:17: error: expected a clause: device, grid, block
  #pragma tutti 17
  // CHECK: :[[@LINE+1]]:24: error: expected '(' after 'device'
  #pragma tutti device gpu
  // CHECK: :[[@LINE+1]]:27: error: expected ')'
  #pragma tutti device(gpu
  // CHECK: :[[@LINE+1]]:35: error: a block has at most 1024 work-items
  #pragma tutti device(gpu) block(1024, 2)
  // CHECK: :[[@LINE+1]]:23: error: size of a block is at most 1024
  #pragma tutti block(2048)
  // CHECK: :[[@LINE+1]]:23: error: size of a block must be positive
  #pragma tutti block(0)
  // CHECK: :[[@LINE+1]]:22: error: size of a grid must be positive
  #pragma tutti grid(2 - 3)
  // CHECK: :[[@LINE+1]]:23: error: 'n' is not an integer constant; only literals and macros can be used here
  #pragma tutti block(n)
  // CHECK: :[[@LINE+1]]:23: error: expected an integer constant
  #pragma tutti block(1.5)
  // CHECK: :[[@LINE+1]]:22: error: expected an integer constant
  #pragma tutti grid()
  // CHECK: :[[@LINE+1]]:31: error: a grid has at most three sizes
  #pragma tutti grid(1, 2, 3, 4)
  // CHECK: :[[@LINE+1]]:22: error: size of a grid is at most 2147483647
  #pragma tutti grid(1u << 31)
  // CHECK: :[[@LINE+1]]:24: error: this constant is not defined or does not fit into 64 bits
  #pragma tutti grid(4 / 0)
  // CHECK: :[[@LINE+1]]:26: error: more than one clause 'block' for one construct
  #pragma tutti block(8) block(8)
  #pragma tutti device(gpu)
  // CHECK: :[[@LINE+1]]:17: error: more than one clause 'device' for one construct
  #pragma tutti device(cpu)
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}
