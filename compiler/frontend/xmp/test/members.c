// Elements of members are reached through pointers, too: with the mapping that all variables have.
// RUN: %tutti-xmp - clang %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang %s
// RUN: clang -Werror -fsyntax-only %t.i
// RUN: not %tutti-xmp - clang -DWRONG -ferror-limit=0 %s 2>&1 | FileCheck --check-prefix=WRONG --implicit-check-not=error: %s
typedef struct { int count; double v[16]; } cell;
double local[16];
#pragma xmp nodes p[4]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align cell.v[i] with t[i]
#pragma xmp shadow cell.v[1]
// CHECK: static cell [[OBJECT:tutti_v_[0-9]+_of]];
cell one;

double first(cell *c, cell **d) {
  // CHECK: [[V:tutti_v_[0-9]+]]_f0 = [[V]]->axis[0].first;
  // CHECK: return (([[V]]_t *)( c -> v )) {{\[}}(( 1 ) - [[V]]_f0)] + (([[V]]_t *)( ( * d ) -> v )) {{\[}}(( c -> count ) - [[V]]_f0)] + sizeof
  return c->v[1] + (*d)->v[c->count] + sizeof *d;
}
// CHECK: [[V]] = tutti_xmp_make_array("{{[^"]*}}", &[[OBJECT]].v, TUTTI_XMP_GIVEN,
// CHECK-SAME: tutti_xmp_set_shadow("{{[^"]*}}", [[V]], 1,
#ifdef WRONG
#pragma xmp acc replicate (local)
void use(double *);
void wrong(cell *c) {
  // WRONG: :[[@LINE+1]]:10: error: only elements of global array 'v' can be reached through a pointer
  use(c->v);
  // WRONG: :[[@LINE+2]]:6: error: only elements of global array 'v' can be reached through a pointer
  #pragma xmp array on t[:]
  c->v[:] = 1;
  // WRONG: :[[@LINE+2]]:17: error: only elements of global array 'v' can be reached through a pointer
  #pragma xmp gmove
  local[:] = c->v[:];
  // WRONG: :[[@LINE+1]]:24: error: 'c->v' is not a global array
  #pragma xmp reflect (c->v)
  // WRONG: :[[@LINE+3]]:19: error: a loop with 'acc' cannot reach a member through a pointer
  #pragma xmp loop on t[i] acc
  for (int i = 0; i < 16; i++)
    local[i] = c->v[i];
}
typedef struct { double u[16], *w; } used;
double before(used *s) {
  // WRONG: :[[@LINE+2]]:13: error: 'u' is used before it is aligned
  // WRONG: :[[@LINE+3]]:19: note: the 'align' is here
  return s->u[3] + s->w[3];
}
#pragma xmp align used.u[i] with t[i]
// WRONG: :[[@LINE-3]]:23: error: 'w' is used before it is aligned
// WRONG: :[[@LINE+1]]:19: note: the 'align' is here
#pragma xmp align used.w[i] with t[i]
// WRONG: :[[@LINE+2]]:20: error: this member has a shadow already
// WRONG: note: the other 'shadow' is here
#pragma xmp shadow cell.v[2]
struct late { int u[16]; } early;
#pragma xmp align late.u[i] with t[i]
struct late later;
// WRONG: :[[@LINE+2]]:20: error: 'shadow' must stand in front of the variables of the structure
// WRONG: note: 'later' is declared here
#pragma xmp shadow late.u[1]
#endif
