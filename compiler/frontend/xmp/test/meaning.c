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
// CHECK: :[[@LINE+1]]:19: error: array 'locale' is not declared; did you mean 'local'?
#pragma xmp align locale[i] with t[i]
// CHECK: :[[@LINE+1]]:19: error: array 'nothing' is not declared
#pragma xmp align nothing[i] with t[i]
// CHECK: :[[@LINE+2]]:20: error: array 'b' is not aligned
// CHECK: :4:12: note: 'b' is declared here
#pragma xmp shadow b[1]
// CHECK: :[[@LINE+1]]:22: error: expected an integer, but this is of type 'double'
#pragma xmp nodes no[d]
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
  // CHECK: :[[@LINE+1]]:28: error: expected an integer, but this is of type 'double'
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
  // CHECK: :[[@LINE+2]]:3: error: the variable 'i' of a distributed loop is changed in its body
  #pragma xmp loop on t[i]
  for (i = 0; i < 16; i++)
    a[i++] = 0;
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
  // CHECK: :[[@LINE+1]]:14: error: array sections are assigned with '=' only
  local[0:2] += 1;
  // CHECK: :[[@LINE+1]]:14: error: an array assignment must be a statement of its own
  local[0:2] = 1, x = 1;
  // CHECK: :[[@LINE+1]]:19: error: an array assignment must be a statement of its own
  x = (local[0:2] = 1);
  if (x)
    local[0:2] = 1;
  else
    local[0:2] = 2;
  // CHECK: :[[@LINE+1]]:21: error: a function is no variable
  #pragma xmp bcast(f)
  // CHECK: :[[@LINE+1]]:30: error: a reduction with '+' has no location
  #pragma xmp reduction(+: x/j/)
  // CHECK: :[[@LINE+1]]:28: error: template 't' is fixed already
  #pragma xmp template_fix t[16]
  #pragma xmp align b[i] with t[i]
  // CHECK: :[[@LINE+2]]:24: error: there are several loops over 'j' here, of which one can be meant
  // CHECK: :[[@LINE+5]]:5: note: another one is here
  #pragma xmp loop (i, j) on tt[i][j]
  for (i = 0; i < 16; i++) {
    for (j = 0; j < 16; j++)
      c[i][j] = 0;
    for (j = 0; j < 16; j++)
      c[i][j] = 1;
  }
  #pragma xmp loop on t[i] reduction(+: x)
  for (i = 0; i < 16; i++) {
    if (i == 2)
      goto next;
    // CHECK: :[[@LINE+1]]:5: error: a distributed loop with a reduction cannot be left by 'goto'
    goto out;
  next:
    x++;
  }
out:
  #pragma xmp loop (i) on t[i] reduction(lastmax: x/j/)
  // CHECK: :[[@LINE+2]]:5: error: only 'for' loops can stand around one that is distributed
  for (j = 0; j < 4; j++)
    while (n-- > 0)
      for (i = 0; i < 16; i++)
        x = i;
  // CHECK: :[[@LINE+2]]:10: error: '#pragma xmp gmove' must be followed by a simple assignment
  #pragma xmp gmove
  a[0] = -a[1];
  // CHECK: :[[@LINE+1]]:17: error: an array section cannot stand here
  return local[0:2];
}
int elsewhere(void) {
  // CHECK: :[[@LINE+2]]:10: error: 'b' is aligned in function 'f', and can be used there only
  // CHECK: note: the 'align' is here
  return b[0];
}
// CHECK: error: 'y' in 'xmp_desc_of' is not a node array, template or global array
void *g(void) { return xmp_desc_of(y); }
// CHECK: :[[@LINE+1]]:36: error: 'pair.v' in 'xmp_desc_of' is not a node array
void *h(void) { return xmp_desc_of(pair.v); }
int early[16], *later;
int before(int k, int other[16]) {
  other[k] = 0;
  // CHECK: :[[@LINE+2]]:10: error: 'early' is used before it is aligned
  // CHECK: :[[@LINE+4]]:19: note: the 'align' is here
  return early[k] + (later == 0);
}
#pragma xmp align later[i] with t[i]
#pragma xmp align early[i] with t[i]
