// With all warnings there is none about what stands for directives.
// RUN: %tutti-xmp %t.i clang -Wall %s 2>&1 | FileCheck --allow-empty --check-prefix=STEP %s
int a[16];
#pragma xmp nodes p[4]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
int main(void) {
// STEP-NOT: warning
#pragma xmp loop on t[i]
  for (int i = 0; i < 16; i++) {
    a[i] = i;
  }
#pragma xmp barrier
  return 0;
}
