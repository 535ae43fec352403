// A pointer that each round of a loop chooses, where the loop is a single block.
// RUN: %tuttic++ -Os -c -o /dev/null %s 2>&1 | FileCheck %s

struct Box {
  double low[2];
  double high[2];

  Box &operator+=(const Box &other) {
    for (int axis = 0; axis < 2; ++axis) {
      low[axis] = other.low[axis] < low[axis] ? other.low[axis] : low[axis];
      high[axis] = other.high[axis] > high[axis] ? other.high[axis] : high[axis];
    }
    return *this;
  }
};
#pragma omp declare reduction(join : Box : omp_out += omp_in) \
    initializer(omp_priv = Box{{1e300, 1e300}, {-1e300, -1e300}})

Box around(int n, const double *x, const double *y) {
  Box box{{1e300, 1e300}, {-1e300, -1e300}};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes at addresses that are not in closed form
  #pragma omp parallel for reduction(join : box)
  for (int i = 0; i < n; i++) {
    if (x[i] < box.low[0]) box.low[0] = x[i];
    if (y[i] < box.low[1]) box.low[1] = y[i];
    if (x[i] > box.high[0]) box.high[0] = x[i];
    if (y[i] > box.high[1]) box.high[1] = y[i];
  }
  return box;
}
