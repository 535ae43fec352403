// Structures of floats and a square root, which is exact on every device.
// RUN: %kernel-ir -fno-math-errno %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas %t.ptx
// RUN: tutti-kernel --target=opencl %t.ll | FileCheck %s --check-prefix=CL
#include "kernel.h"
float sqrtf(float);

struct Body {
  float x, y, z, mass;
};

// PTX:     sqrt.rn.f32
// PTX:     div.rn.f32
// PTX-NOT: ftz

// CL-NOT: cl_khr_fp64
// CL:     sqrt(
KERNEL(run) {
  const struct Body *bodies = AT(in);
  float *force = AT(out);
  (void)total, (void)partials;
  FOR_ITEMS(i, 0, lower, upper) {
    float x = 0;
    for (long j = 0; j < n; ++j) {
      const float dx = bodies[j].x - bodies[i].x;
      const float dy = bodies[j].y - bodies[i].y;
      const float dz = bodies[j].z - bodies[i].z;
      const float r = sqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      x += bodies[j].mass * dx / (r * r * r);
    }
    force[i] = x;
  }
}
