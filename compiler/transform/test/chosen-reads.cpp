// What is copied from one of two objects, one of them private, keeps a loop neither home nor off devices.
// RUN: %tuttic++ -c -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=" kernel: " --implicit-check-not="stays on rank 0"

struct Best {
  double value;
  long where;
};

struct Small {
  float value;
  int where;
};

#pragma omp declare reduction(best : Best : omp_out = omp_in.value > omp_out.value ? omp_in : omp_out) \
    initializer(omp_priv = Best{-1e300, 0})
#pragma omp declare reduction(best : Small : omp_out = omp_in.value > omp_out.value ? omp_in : omp_out) \
    initializer(omp_priv = Small{-1e30f, 0})
// Where paths meet.
#pragma omp declare reduction(first : Best : omp_out = omp_in.value > omp_out.value || \
    (omp_in.value == omp_out.value && omp_in.where < omp_out.where) ? omp_in : omp_out) \
    initializer(omp_priv = Best{-1e300, 0})

Best best(long n, const double *a) {
  Best found{-1e300, 0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(best : found)
  for (long i = 0; i < n; i++) {
    if (a[i] > found.value) found = {a[i], i};
  }
  return found;
}

Small small(int n, const float *a) {
  Small found{-1e30f, 0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(best : found)
  for (int i = 0; i < n; i++) {
    const Small mine{a[i], i};
    found = mine.value > found.value ? mine : found;
  }
  return found;
}

Best first(long n, const double *a) {
  Best found{-1e300, 0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(first : found)
  for (long i = 0; i < n; i++) {
    const Best mine{a[i], i};
    found = mine.value > found.value ? mine : found;
  }
  return found;
}

// Copied member by member, at distances from what is chosen.
struct Pair {
  double value;
  long where;
  float weight;

  Pair &operator=(const Pair &from) {
    value = from.value;
    where = from.where;
    weight = from.weight;
    return *this;
  }
};
#pragma omp declare reduction(best : Pair : omp_out = omp_in.value > omp_out.value ? omp_in : omp_out) \
    initializer(omp_priv = Pair{-1e300, 0, 0})

Pair pair(long n, const double *a) {
  Pair found{-1e300, 0, 0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for reduction(best : found)
  for (long i = 0; i < n; i++) {
    const Pair mine{a[i], i, 1};
    found = mine.value > found.value ? mine : found;
  }
  return found;
}

// One of the ways that meet leads elsewhere, too.
void either(int n, int m, long *b, const long *c) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int r = 0; r < n; ++r) {
    long mine[8];
    for (int j = 0; j < 8; ++j) mine[j] = r * j;
    const long *from = &mine[r & 7];
    if (m) from = &c[r / m];
    b[r] = *from;
  }
}

// What else the iteration does comes between the choice and the access.
void later(int n, long *b, const long *c) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int r = 0; r < n; ++r) {
    long mine[8];
    for (int j = 0; j < 8; ++j) mine[j] = r * j;
    const long *from = c[r] > 3 ? &mine[c[r] & 7] : &c[n - r];
    b[r] = 1;
    for (int j = 0; j < n; ++j) b[r] += c[j];
    b[r] += *from;
  }
}

// One of the ways that meet has itself been chosen, and of it the private side.
void nested(int n, long *b, const long *c, long most) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int r = 0; r < n; ++r) {
    long mine[8];
    for (int j = 0; j < 8; ++j) mine[j] = r * j;
    const long *from;
    switch (c[r] % 4) {
    case 0: from = c[n + r] > 3 ? &mine[c[r] & 7] : &c[n - r]; break;
    case 2: from = &most; break;
    default: from = c[n + r] & 1 ? &b[r] : &mine[3]; break;
    }
    b[r] = 1;
    for (int j = 0; j < n; ++j) b[r] += c[j];
    b[r] += *from;
  }
}

// Constants, which every rank has, and arrays.
static const long primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
long table[8];
void constants(int n, long *b, const long *c) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int r = 0; r < n; ++r) {
    const long *from = c[r] & 1 ? primes : table;
    b[r] = from[r & 7] + from[c[r] & 7];
  }
}

// Writes, and reads of what has been written.
void writes(int n, long *b, const long *c) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int r = 0; r < n; ++r) {
    long mine[4] = {1, 2, 3, 4};
    long *to = c[r] & 1 ? &mine[r & 3] : &b[r];
    *to += 5;
    b[n + r] = mine[0] + mine[1] + mine[2] * mine[3];
  }
}
