// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/call_on_stack.h"

#if defined(__x86_64__)
asm(R"(
    .text
    .globl tutti_call_on_stack
    .hidden tutti_call_on_stack
    .type tutti_call_on_stack, @function
tutti_call_on_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsp
    callq *%rax
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size tutti_call_on_stack, . - tutti_call_on_stack
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl tutti_call_on_stack
    .hidden tutti_call_on_stack
    .type tutti_call_on_stack, %function
tutti_call_on_stack:
    .cfi_startproc
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa x29, 16
    mov x9, x0
    mov x0, x1
    mov sp, x2
    blr x9
    mov sp, x29
    ldp x29, x30, [sp], #16
    .cfi_def_cfa sp, 0
    ret
    .cfi_endproc
    .size tutti_call_on_stack, . - tutti_call_on_stack
)");
#else
#error "no stack switch for this processor"
#endif
