// Sections of local arrays, also downwards, of members and of collapsed dimensions; without
// pragmas, loops do the same.
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
// As programs declare it once more.
void xmp_pack(void *v_p, void *a_p, void *m_p);
#endif

int plane[3][5], line[5], cube[2][3][4], solid[3][7][6], packed[7], again[7];

struct row {
  int cells[7];
};

#pragma xmp nodes p[*]
#pragma xmp template t[10]
#pragma xmp template box(0 : 5, 0 : 9, 0 : 2)
#pragma xmp distribute t[block] onto p
#pragma xmp distribute box(*, block, *) onto p
#pragma xmp align row.cells[i] with t[i]
#pragma xmp align packed[i] with t[i]
#pragma xmp align again[i] with t[i]
#pragma xmp align solid[*][j][k] with box(k, j, *)
struct row pair;

int main(void) {
  int down = -2, count = 5;
  int sized[count];
#pragma xmp task on p[0]
  printf("%zu\n", sizeof(pair.cells));
  for (int i = 0; i < 5; i++) {
    line[i] = i;
    sized[i] = 9;
  }
#ifdef _XCALABLEMP
  // clang-format off
  plane[:][:] = 1;
  plane[1][:] = line[::-1];
  plane[:][4] = line[:3];
  line[::-1] = line[:];
  sized[::down] = line[0:3];
  cube[:][1:][::2] = 7;
  cube[1][::-1][:] = plane[:][0:4];
#pragma xmp array on t[0:7]
  pair.cells[:] = 3;
#pragma xmp array on box(:, :, :)
  solid[:][:][:] = 2;
  xmp_pack(xmp_desc_of(packed), xmp_desc_of(pair.cells));
  xmp_pack(xmp_desc_of(again), xmp_desc_of(packed), xmp_desc_of(pair.cells));
  // clang-format on
#else
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 5; j++) {
      plane[i][j] = i == 1 ? 4 - j : 1;
    }
    plane[i][4] = i;
  }
  for (int i = 0; i < 5; i++) {
    line[i] = 4 - i;
  }
  for (int k = 0; k < 3; k++) {
    sized[4 + down * k] = line[k];
  }
  for (int i = 1; i < 3; i++) {
    cube[0][i][0] = cube[0][i][2] = 7;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      cube[1][2 - i][j] = plane[i][j];
    }
  }
  for (int i = 0; i < 7; i++) {
    packed[i] = again[i] = pair.cells[i] = 3;
    for (int k = 0; k < 18; k++) {
      solid[k % 3][i][k / 3] = 2;
    }
  }
#endif
  long sum = 0, shared = 0;
#pragma xmp loop on t[i] reduction(+ : shared)
  for (int i = 0; i < 7; i++) {
    shared += i * (pair.cells[i] + 10 * packed[i] + 100 * again[i]);
    for (int k = 0; k < 18; k++) {
      shared += solid[k % 3][i][k / 3];
    }
  }
  for (int i = 0; i < 24; i++) {
    sum = sum * 3 + cube[i / 12][i / 4 % 3][i % 4] + (i < 15 ? plane[i / 5][i % 5] : 0) +
          (i < 5 ? line[i] * 5 + sized[i] : 0);
  }
#pragma xmp task on p[0]
  printf("%ld %ld\n", sum, shared);
  return 0;
}
