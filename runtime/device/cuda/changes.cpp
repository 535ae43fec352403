// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/changes.h"

namespace tutti::device::cuda {

namespace {

/// Adds four bits to the mask `%m`, one for each byte in which two words differ: first the highest
/// bit of each such byte is set, then these are brought together.
#define TUTTI_COMPARE_WORD(word, factor)                                                           \
  "  xor.b32 %d, %n" #word ", %o" #word ";\n"                                                      \
  "  and.b32 %b, %d, 0x7f7f7f7f;\n"                                                                \
  "  add.u32 %b, %b, 0x7f7f7f7f;\n"                                                                \
  "  or.b32 %b, %b, %d;\n"                                                                         \
  "  and.b32 %b, %b, 0x80808080;\n"                                                                \
  "  shr.u32 %b, %b, 7;\n"                                                                         \
  "  mul.lo.u32 %b, %b, 0x10204080;\n"                                                             \
  "  shr.u32 %b, %b, 28;\n"                                                                        \
  "  mad.lo.u32 %m, %b, " #factor ", %m;\n"

/// Each thread compares 32 bytes; those of a warp that differ get places beside one another, so
/// that one addition is enough for them. `%v`: which threads have differences.
constexpr const char *kText = R"(
.version 6.3
.target sm_70
.address_size 64

.visible .entry tutti_changes(.param .u64 now, .param .u64 before, .param .u64 grains,
                              .param .u64 out)
{
  .reg .pred %q, %differs;
  .reg .b32 %r<4>, %n<8>, %o<8>, %d, %m, %b, %v, %first, %lane;
  .reg .b64 %g, %p, %s, %w, %grains;
  ld.param.u64 %grains, [grains];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  cvt.u64.u32 %g, %r2;
  mad.wide.u32 %g, %r0, %r1, %g;
  mov.u32 %m, 0;
  setp.ge.u64 %q, %g, %grains;
  @%q bra vote;

  shl.b64 %w, %g, 5;
  ld.param.u64 %p, [now];
  ld.param.u64 %s, [before];
  add.u64 %p, %p, %w;
  add.u64 %s, %s, %w;
  ld.global.v4.u32 {%n0, %n1, %n2, %n3}, [%p];
  ld.global.v4.u32 {%o0, %o1, %o2, %o3}, [%s];
  ld.global.v4.u32 {%n4, %n5, %n6, %n7}, [%p + 16];
  ld.global.v4.u32 {%o4, %o5, %o6, %o7}, [%s + 16];
)" TUTTI_COMPARE_WORD(0, 0x1) TUTTI_COMPARE_WORD(1, 0x10) TUTTI_COMPARE_WORD(2, 0x100)
    TUTTI_COMPARE_WORD(3, 0x1000) TUTTI_COMPARE_WORD(4, 0x10000) TUTTI_COMPARE_WORD(5, 0x100000)
        TUTTI_COMPARE_WORD(6, 0x1000000) TUTTI_COMPARE_WORD(7, 0x10000000)
            R"(
vote:
  setp.ne.u32 %differs, %m, 0;
  vote.sync.ballot.b32 %v, %differs, 0xffffffff;
  setp.eq.u32 %q, %v, 0;
  @%q bra end;
  mov.u32 %lane, %laneid;
  setp.ne.u32 %q, %lane, 0;
  @%q bra placed;
  popc.b32 %r3, %v;
  ld.param.u64 %p, [out];
  atom.global.add.u32 %first, [%p], %r3;
placed:
  shfl.sync.idx.b32 %first, %first, 0, 31, 0xffffffff;
  @!%differs bra end;
  mov.u32 %r3, %lanemask_lt;
  and.b32 %r3, %r3, %v;
  popc.b32 %r3, %r3;
  add.u32 %first, %first, %r3;
  ld.param.u64 %p, [out];
  mul.wide.u32 %w, %first, 40;
  add.u64 %p, %p, %w;
  cvt.u32.u64 %r0, %g;
  st.global.v2.u32 [%p + 16], {%r0, %m};
  st.global.v2.u32 [%p + 24], {%n0, %n1};
  st.global.v2.u32 [%p + 32], {%n2, %n3};
  st.global.v2.u32 [%p + 40], {%n4, %n5};
  st.global.v2.u32 [%p + 48], {%n6, %n7};
end:
  ret;
}
)";

} // namespace

const tutti_kernel kChangesKernel{TUTTI_KERNEL_PTX, 0, "tutti_changes", kText};

} // namespace tutti::device::cuda
