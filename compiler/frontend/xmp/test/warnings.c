// With all warnings there is none about what stands for directives, and none about what is written.
// RUN: %tutti-xmp %t.i clang -Wall -Wextra -Wshadow -Wreserved-identifier %s 2>&1 | FileCheck --allow-empty --check-prefix=STEP %s
// RUN: clang -Wall -Wextra -Wshadow -Werror -fopenmp -fsyntax-only %t.i
int a[16], local[8];
#pragma xmp nodes p[4]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp acc replicate (a)
int main(void) {
// STEP-NOT: warning
#pragma xmp loop on t[i]
  for (int i = 0; i < 16; i++) {
    a[i] = i;
  }
  // The loop has a variable of its own, which hides the function's.
  int sum = 0, last = 0, place = -1;
#pragma xmp loop on t[i] reduction(+: sum) reduction(lastmax: last /place/)
  for (int i = 0; i < 16; i++) {
    sum += a[i];
    if (a[i] >= last) {
      last = a[i];
      place = i;
    }
  }
#pragma xmp loop on t[i] acc
  for (int i = 0; i < 16; i++)
    a[i] += sum;
#pragma xmp gmove
  local[:] = a[0:8];
  local[1:7] = local[0:7];
#pragma xmp task on p[0]
  {
#pragma xmp task on p[0]
    return sum + place;
  }
#pragma xmp barrier
  return 0;
}
