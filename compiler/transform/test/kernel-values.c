// Values are not in a device's memory. Kernels have them as parameters where an iteration chooses
// between a value and an element, too, although the optimiser joins such reads into one.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: env TUTTI_TARGETS=print %tutticc -g -c -o /dev/null %s 2>&1 | FileCheck %s

// One load for each array.
// CHECK-LABEL: define void @tutti_limited_omp_outlined_flat(
// CHECK-COUNT-2: load i64, ptr
// CHECK-NOT:     load i64, ptr
// CHECK:         store i64
// CHECK:       }
void limited(long n, long *a, const long *b, const long *c, long most) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = c[i] > 5 ? b[i] : most;
}

// The first element of an array is memory, and so it stays where both are read at one address.
// CHECK-LABEL: define void @tutti_clamped_omp_outlined_flat(
// CHECK-COUNT-1: load i64, ptr
// CHECK-NOT:     load i64, ptr
// CHECK:         store i64
// CHECK:       }
void clamped(long n, long *a, const long *b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = b[i > 3 ? i - 3 : 0];
}

// A structure's member that gives the loop its length is a value; another one is memory.
struct Mesh {
  long cells;
  long least;
  long *of;
};

// CHECK-LABEL: define void @tutti_members_omp_outlined_flat(
// CHECK-COUNT-4: load i64, ptr
// CHECK-NOT:     load i64, ptr
// CHECK:         store i64
// CHECK:       }
void members(const struct Mesh *mesh, long *a, const long *b) {
  #pragma omp parallel for
  for (long i = 0; i < mesh->cells; i++) {
    const long *from = b[i] > 7 ? &mesh->cells : b[i] < 3 ? &mesh->least : &mesh->of[i];
    a[i] = *from + b[2 * i];
  }
}

// What an address is in a kernel may differ from what it is in the model: at the first place of a
// row that has one place only the next one is the same.
// CHECK-LABEL: define void @tutti_plane_omp_outlined_flat(
// CHECK:         store double
// CHECK:       }
void plane(int n, int m, double *a, const double *b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const int up = i == 0 ? n - 1 : i - 1;
      const int left = j == 0 ? m - 1 : j - 1;
      const int right = j == m - 1 ? 0 : j + 1;
      a[i * m + j] = b[up * m + j] + b[i * m + left] + 2 * b[i * m + right];
    }
}

// Addresses of values that are made of one another, and of loads that become parameters.
// CHECK-LABEL: define void @tutti___omp_offloading_{{.*}}_made_of_values_
// CHECK:       }
struct Record {
  int c[600];
  double d[600];
} *record;
void made_of_values(int run, int n, const long *a) {
  #pragma omp target teams distribute
  for (int r = 0; r < 8; r++) {
    unsigned long mine = r > 0 ? a[5] + ((unsigned long)record->d[5] % 3 ? n : run) : (unsigned long)record->d[n];
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 75; j++)
        mine += record->c[r * 75 + j] * (run >= (n ^ (unsigned long)record->d[k * 17]));
    record->c[r * 75] += mine;
  }
}
