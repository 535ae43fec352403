// The flat kernel steps through the chunk by the size of the grid, whatever the schedule; values are
// parameters, variables are symbols, and dereferences move at the root of an address computation.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s

double scale;
double table[100];
static const double weights[4] = {0.5, 1.5, 2.5, 3.5};

// captures: n, a, b; values: n, scale, b, a; symbols: scale, table
// CHECK-LABEL: define void @tutti_stencil_omp_outlined_flat(
// CHECK-SAME:    ptr %[[ARENA:[0-9]+]], i64 %[[LOW:[0-9]+]], i64 %[[HIGH:[0-9]+]],
// CHECK-SAME:    i64 %[[LOWER:[0-9]+]], i64 %[[UPPER:[0-9]+]], i64 %{{[0-9]+}}, ptr %{{[0-9]+}},
// CHECK:         %[[FIRST:.*]] = call i64 @tutti.item.id(i32 0)
// CHECK:         %[[STEP:.*]] = call i64 @tutti.item.count(i32 0)
// CHECK:         %[[TRIP:.*]] = sub nsw i64 %[[UPPER]], %[[LOWER]]
// CHECK:         %[[BASE:.*]] = ptrtoint ptr %[[ARENA]] to i64
// CHECK:         %[[BELOW:.*]] = add i64 %[[LOW]], %[[BASE]]
// CHECK:         %[[ABOVE:.*]] = add i64 %[[HIGH]], %[[BASE]]
// CHECK:         %[[ISLOW:.*]] = icmp ult i64 %[[B:.*]], 4294967296
// CHECK:         %[[DISTANCE:.*]] = select i1 %[[ISLOW]], i64 %[[BELOW]], i64 %[[ABOVE]]
// CHECK:         %[[THERE:.*]] = add i64 %[[B]], %[[DISTANCE]]
// CHECK:         inttoptr i64 %[[THERE]] to ptr
// CHECK:         icmp slt i64 %[[FIRST]], %[[TRIP]]
// CHECK:         %[[K:.*]] = phi i64
// CHECK-NOT:     load ptr
// CHECK:         %[[NEXT:.*]] = add nuw nsw i64 %[[K]], %[[STEP]]
// CHECK:         icmp slt i64 %[[NEXT]], %[[TRIP]]
// CHECK:       }
void stencil(int n, double *restrict a, const double *restrict b) {
  #pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    a[i] = scale * b[i - 1] + table[i % 100] * weights[i & 3];
}

// CHECK-LABEL: define void @tutti_pieces_omp_outlined_flat(
// CHECK-COUNT-1: phi i64
// CHECK:       }
void pieces(long n, double c, const double *x, double *y) {
  #pragma omp parallel for schedule(static, 16)
  for (long i = 0; i < n; i++) y[i] += c * x[i];
}

// CHECK-LABEL: define void @tutti_dynamic_omp_outlined_flat(
// CHECK-COUNT-1: phi i64
// CHECK:       }
void dynamic(long n, double c, const double *x, double *y) {
  #pragma omp parallel for schedule(dynamic, 4)
  for (long i = 0; i < n; i++) y[i] += c * x[i];
}

// A pointer that is stored keeps its value: no translation of what is written.
// CHECK-LABEL: define void @tutti_links_omp_outlined_flat(
// CHECK:         %[[TARGET:.*]] = inttoptr i64 %{{[0-9]+}} to ptr
// CHECK:         getelementptr inbounds double, ptr %[[TARGET]], i64
// CHECK:         store ptr
// CHECK:       }
void links(long n, double *x, double **p) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) p[i] = x + i;
}

// Only the work-item that executes the last iteration writes the variable.
// CHECK-LABEL: define void @tutti_last_omp_outlined_flat(
// CHECK:         urem i64
// CHECK:         icmp eq i64 %[[UPPER:[0-9]+]], %[[TOTAL:[0-9]+]]
// CHECK:         store i32
// CHECK:         store i32
// CHECK:       }
int last(long n, int *x) {
  int l;
  #pragma omp parallel for lastprivate(l)
  for (long i = 0; i < n; i++) { l = x[i]; x[i] = 3; }
  return l;
}

// What follows the loop may take its address from the last iteration: a work-item without any
// returns in front of it.
// CHECK-LABEL: define void @tutti_lastOfRow_omp_outlined_flat(
// CHECK:         %[[MINE:.*]] = call i64 @tutti.item.id(i32 0)
// CHECK:         %[[COUNT:.*]] = sub nsw i64
// CHECK:         %[[SOME:.*]] = icmp slt i64 %[[MINE]], %[[COUNT]]
// CHECK-NEXT:    br i1 %[[SOME]], label %{{[0-9]+}}, label %[[IDLE:[0-9]+]]
// CHECK:         store i32 3
// CHECK:       [[IDLE]]:
// CHECK-NEXT:    ret void
// CHECK:         load i32
// CHECK:       }
int lastOfRow(long n, const int *x, int *y) {
  int l;
  #pragma omp parallel for lastprivate(l)
  for (long i = 0; i < n; i++) { y[i] = 3; l = x[2 * i]; }
  return l;
}
