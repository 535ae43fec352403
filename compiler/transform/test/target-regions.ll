; What stands in a target construct, alone or through functions that nothing else calls, prefers GPUs.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-target-regions -S %s | FileCheck %s

; CHECK: define void @__omp_offloading_region() [[GPU:#[0-9]+]]
define void @__omp_offloading_region() {
  call void @only_there()
  call void @also_elsewhere()
  call void @visible()
  ret void
}

; CHECK: define internal void @only_there() [[GPU]]
define internal void @only_there() {
  call void @deeper()
  ret void
}

; CHECK: define internal void @deeper() [[GPU]]
define internal void @deeper() {
  ret void
}

; CHECK: define internal void @also_elsewhere() {
define internal void @also_elsewhere() {
  ret void
}

; CHECK: define void @visible() {
define void @visible() {
  ret void
}

; A pragma that names a device wins; one that gives sizes alone says nothing of the device.
; CHECK: define void @__omp_offloading_host() [[HOST:#[0-9]+]]
define void @__omp_offloading_host() "llvm.assume"="tutti:1:0:0:0:0:0:0" {
  ret void
}

; CHECK: define void @__omp_offloading_sizes() [[SIZES:#[0-9]+]]
define void @__omp_offloading_sizes() "llvm.assume"="tutti:0:8:1:1:64:1:1" {
  ret void
}

; CHECK: define void @elsewhere() {
define void @elsewhere() {
  call void @also_elsewhere()
  ret void
}

; CHECK-DAG: attributes [[GPU]] = { "llvm.assume"="tutti:2:0:0:0:0:0:0" }
; CHECK-DAG: attributes [[HOST]] = { "llvm.assume"="tutti:1:0:0:0:0:0:0" }
; CHECK-DAG: attributes [[SIZES]] = { "llvm.assume"="tutti:2:8:1:1:64:1:1" }
