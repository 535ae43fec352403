// What only looks wrong is none of the compiler's errors: what is never executed, what a run may make
// right, and what the language allows.
// RUN: %tutti-xmp %t.i clang -w -ferror-limit=0 %s 2>&1 | FileCheck --allow-empty %s
// RUN: clang -Werror -fsyntax-only %t.i
// CHECK-NOT: error:
#define N 16
#define DEPTH 1
int n = 40, zero, map[4] = {1, 1, 1, 1}, rows[N];
int a[N], b[N], grown[n], late[N], tail[N][8];
#pragma xmp nodes p[4]
#pragma xmp nodes q[*]
#pragma xmp nodes g(2, *)
#pragma xmp template t[N]
#pragma xmp template r(0:N-1)
#pragma xmp template s[n]
#pragma xmp template f[:]
#pragma xmp template tt[N][8]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute r(cyclic(3)) onto q
#pragma xmp distribute s[block] onto p
#pragma xmp distribute f[gblock(*)] onto p
#pragma xmp distribute tt[block(5)][*] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with r(i)
#pragma xmp align grown[i] with s[i]
#pragma xmp align late[i] with t[i]
#pragma xmp align tail[i][*] with tt[i][*]
#pragma xmp shadow a[1]
#pragma xmp shadow tail[DEPTH][0]
struct row { int length; int cells[1]; } *list;
void use(int *);

int f1(int x, int parameter[4]) {
  // Periodic borders lie outside of the array, and one element behind may be pointed at.
  a[-1] = a[N];
  use(&b[N]);
  use(tail[N]);
  use(&late[N]);
  // Never executed, or never evaluated.
  if (0)
    b[N] = 1;
  if (sizeof(long) == 2)
    b[99] = 1;
  x = sizeof b[99] + sizeof(__typeof__(b[99])) + (N > 16 ? b[N] : 0);
  if (N < 8) {
    #pragma xmp barrier on p[9]
    #pragma xmp reflect (a) width(3)
    #pragma xmp gmove
    a[0:4] = b[0:8];
    rows[0:20] = 1;
  }
  switch (2) {
  case 1:
    b[N] = 1;
  }
  // Not known before the program runs.
  b[n] = grown[30] + b[zero - 1];
  late[N + 1] = 1;
  #pragma xmp barrier on p[n]
  #pragma xmp barrier on q[7]
  #pragma xmp barrier on g(1, 9)
  #pragma xmp barrier on s[n - 1]
  #pragma xmp reflect (a) width(n)
  #pragma xmp bcast (x) from q[0:1]
  #pragma xmp bcast (x) from p[n:1] on p
  #pragma xmp bcast (parameter) from g(1, *)
  // How far a section of nodes goes, as programs write it.
  #pragma xmp barrier on p[0:4:2]
  #pragma xmp barrier on p(4:1:-1)
  #pragma xmp gmove
  b[N-1:N:-1] = a[:];
  #pragma xmp gmove
  a[0:n] = b[0:8];
  #pragma xmp gmove
  a[:] = b[3];
  #pragma xmp array on t[:]
  a[:] = a[-1:N] + a[1:N];
  rows[15:16:-1] = rows[0:16];
  rows[1::2] = rows[0::2] + rows[::2];
  list->cells[0:8] = 0;
  parameter[0:8] = 0;
  [[maybe_unused]] int kept;
  [[clang::annotate("x")]] int known;
  #pragma xmp loop (i) on tt[i][*] expand(1, 0)
  for (int i = 0; i < N; i++)
    tail[i][0] = i;
  return x;
  b[N] = 2;
}

#pragma xmp shadow late[2]

void f2(void) {
  #pragma xmp template own[N]
  #pragma xmp distribute own[gblock(map)] onto p
  #pragma xmp template_fix[gblock(map)] f[N]
  ;
}
