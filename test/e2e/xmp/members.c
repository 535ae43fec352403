// Members of structures that pointers lead to: elements have the mapping of the member.
#include <stdio.h>
#define N 16

struct cell {
  int count;
  double v[N];
  double w[N][4];
};

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align cell.v[i] with t[i]
#pragma xmp align cell.w[i][*] with t[i]
#pragma xmp shadow cell.v[1]
struct cell one, two;

static double sum(struct cell *c, struct cell *d) {
  double total = 0;
#pragma xmp loop on t[i] reduction(+ : total)
  for (int i = 1; i < N - 1; i++) {
    c->w[i][2] = c->v[i - 1] + c->v[i + 1];
    total += c->w[i][2] * i + (d + 0)->v[i] + c->count;
  }
  return total + sizeof c->v;
}

int main(void) {
  one.count = 3;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    one.v[i] = i * i;
    two.v[i] = 100 - i;
  }
#pragma xmp reflect(one.v)
  double total = sum(&one, &two);
#pragma xmp task on p[0]
  printf("%g\n", total);
  return 0;
}
