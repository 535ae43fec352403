// What names mean is checked once the program is parsed: errors at the user's tokens, with notes at
// the other declaration.
// RUN: not %tutti-xmp - clang -ferror-limit=0 %s 2>&1 | FileCheck %s
int a[16], b[16], c[16][16], local[4], n, x, init[16] = {1};
int **second;
double d;
struct pair { int v; } pair;
#pragma xmp nodes p[4]
#pragma xmp nodes grid[2][2]
#pragma xmp template t[16]
#pragma xmp template u[16]
#pragma xmp template tt[16][16]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute tt[cyclic][*] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align c[i][j] with tt[i][j]
// CHECK: :[[@LINE+2]]:19: error: 'p' is declared already
// CHECK: :[[@LINE-10]]:19: note: the other declaration of 'p' is here
#pragma xmp nodes p[2]
// CHECK: :[[@LINE+1]]:24: error: template 't' is distributed already
#pragma xmp distribute t[block] onto p
// CHECK: :[[@LINE+1]]:38: error: 'gird' is not declared as a node array; did you mean 'grid'?
#pragma xmp distribute u[block] onto gird
// CHECK: :[[@LINE+2]]:24: error: 'p' is not a template
// CHECK: note: 'p' is declared here
#pragma xmp distribute p[block] onto p
// CHECK: :[[@LINE+1]]:25: error: 'u' has 1 dimensions, but there are 2 formats
#pragma xmp distribute u[block][*] onto p
// CHECK: :[[@LINE+1]]:29: error: template 'u' is not distributed
#pragma xmp align b[i] with u[i]
// CHECK: :[[@LINE+1]]:19: error: array 'a' is aligned already
#pragma xmp align a[i] with t[i]
// CHECK: :[[@LINE+1]]:29: error: template 't' has 1 dimensions, not 2
#pragma xmp align b[i] with t[i][i]
// CHECK: :[[@LINE+1]]:20: error: too many dimensions: array 'b' has 1
#pragma xmp align b[i][j] with tt[i][j]
// CHECK: :[[@LINE+1]]:21: error: index 'i' is not used in the template's subscripts
#pragma xmp align b[i] with t[*]
// CHECK: :[[@LINE+1]]:31: error: 'k' is not an index of the array
#pragma xmp align b[i] with t[k]
// CHECK: :[[@LINE+1]]:13: error: no dimension of the array is aligned
#pragma xmp align b[*] with t[*]
// CHECK: :[[@LINE+1]]:21: error: the array has more ':' than the template
#pragma xmp align b[:] with t[*]
// CHECK: :[[@LINE+1]]:19: error: 'd' is neither an array nor a pointer
#pragma xmp align d[i] with t[i]
// CHECK: :[[@LINE+1]]:19: error: 'second' is a pointer to a pointer
#pragma xmp align second[i] with t[i]
// CHECK: :[[@LINE+1]]:19: error: array 'init' has an initializer
#pragma xmp align init[i] with t[i]
// CHECK: :[[@LINE+1]]:19: error: array 'nothing' is not declared
#pragma xmp align nothing[i] with t[i]
// CHECK: :[[@LINE+1]]:20: error: array 'b' is not aligned
#pragma xmp shadow b[1]
// CHECK: :[[@LINE+1]]:22: error: dimension 1 of 'c' is cyclic and can have no shadow but '*'
#pragma xmp shadow c[1][0]
// CHECK: :[[@LINE+1]]:21: error: too many dimensions: array 'a' has 1
#pragma xmp shadow a[1][1]

int f(void) {
  int i, j;
  typedef int sized[x];
  sized variable;
  // CHECK: :[[@LINE+1]]:21: error: the dimensions of 'variable' come from a type whose size is not constant
  #pragma xmp align variable[i] with t[i]
  // CHECK: :[[@LINE+1]]:24: error: array 'a' has no shadow
  #pragma xmp reflect (a)
  // CHECK: :[[@LINE+1]]:24: error: 'local' is not a global array
  #pragma xmp reflect (local)
  // CHECK: :[[@LINE+1]]:27: error: too many dimensions: 'p' has 1, not 2
  #pragma xmp barrier on p[0][1]
  // CHECK: :[[@LINE+1]]:28: error: a subscript must be an integer
  #pragma xmp barrier on p[d]
  // CHECK: :[[@LINE+1]]:28: error: a variable of type 'struct pair' cannot be reduced with '+'
  #pragma xmp reduction(+: pair)
  // CHECK: :[[@LINE+1]]:28: error: a variable of type 'double' cannot be reduced with '&'
  #pragma xmp reduction(&: d)
  // CHECK: :[[@LINE+1]]:21: error: there is no loop over 'j' here
  #pragma xmp loop (j) on t[j]
  for (i = 0; i < 16; i++)
    a[i] = 0;
  // CHECK: :[[@LINE+2]]:15: error: the condition of a distributed loop must compare 'i' with a bound
  #pragma xmp loop on t[i]
  for (i = 0; x < 16; i++)
    a[i] = 0;
  // CHECK: :[[@LINE+2]]:23: error: 'i' must be changed by a constant amount
  #pragma xmp loop on t[i]
  for (i = 0; i < 16; i *= 2)
    a[i] = 0;
  // CHECK: :[[@LINE+2]]:23: error: 'i' never reaches its bound
  #pragma xmp loop on t[i]
  for (i = 0; i < 16; i--)
    a[i] = 0;
  // CHECK: :[[@LINE+1]]:15: error: '#pragma xmp loop' must be followed by a 'for' loop
  #pragma xmp loop (i) on t[i]
  { a[0] = 0; }
  // CHECK: :[[@LINE+1]]:15: error: '#pragma xmp gmove' must be followed by a simple assignment
  #pragma xmp gmove
  a[0] += 1;
  // CHECK: :[[@LINE+2]]:8: error: the sides of a gmove have different types: 'int' and 'double'
  #pragma xmp gmove
  a[0] = d;
  // CHECK: :[[@LINE+2]]:8: error: the sides of a gmove have different shapes
  #pragma xmp gmove
  a[:] = c[:][:];
  // CHECK: :[[@LINE+1]]:15: error: the right side of this gmove must be a global array
  #pragma xmp gmove in
  a[:] = local[:];
  // CHECK: :[[@LINE+1]]:3: error: a section of global array 'a' needs '#pragma xmp array' or '#pragma xmp gmove'
  a[:] = 0;
  // CHECK: :[[@LINE+1]]:17: error: an array section cannot stand here
  return local[0:2];
}
// CHECK: error: 'y' in 'xmp_desc_of' is not a node array, template or global array
void *g(void) { return xmp_desc_of(y); }
int early[16], *later;
int before(int k, int other[16]) {
  other[k] = 0;
  // CHECK: :[[@LINE+2]]:10: error: 'early' is used before it is aligned
  // CHECK: :[[@LINE+4]]:19: note: the 'align' is here
  return early[k] + (later == 0);
}
#pragma xmp align later[i] with t[i]
#pragma xmp align early[i] with t[i]
