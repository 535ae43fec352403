// Remarks name what the loop's own code names, members included, and lines of the loop; not what
// functions of the library call it, or where it is in their headers.
// RUN: %tuttic++ -g -c -o /dev/null -Rpass-analysis=tutti %s 2>&1 | FileCheck %s
#include <atomic>
#include <vector>

struct Mesh {
  int cells;
  int *neighbour;
  struct { double *volume; } of;
};

static double scale(const double *from, int k) {
  return 2 * from[k];
}

struct Solver {
  std::vector<double> values;
  void gather(const Mesh *mesh, Mesh &other, double *out) {
    // CHECK-DAG: :[[@LINE+3]]:{{[0-9]+}}: remark: reads 'values' at computed addresses (line [[@LINE+6]]):
    // CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: reads 'mesh->of.volume' at computed addresses (line [[@LINE+6]], in 'scale' at line [[@LINE-7]]):
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: reads 'other.neighbour' at computed addresses (line [[@LINE+6]]):
    #pragma omp parallel for
    for (int i = 0; i < mesh->cells; i++) {
      const int at = mesh->neighbour[i];
      out[i] = values[at];
      out[i] += scale(mesh->of.volume, at);
      out[i] += other.neighbour[at];
    }
  }
};

void loops(Solver &solver, const Mesh *mesh, Mesh &other, double *out, double **rows, int n,
           std::vector<std::vector<double>> &table, const int *index) {
  solver.gather(mesh, other, out);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: follows pointers that it finds in 'rows' (line [[@LINE+2]]):
  #pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = rows[(i * i) % n][0];

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: follows pointers that it finds in 'table' (line [[@LINE+2]]):
  #pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = table[(i * i) % n][0];

  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: remark: reads 'table[...]' at computed addresses (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    out[i] = rows[i][index[i]];
    for (int j = 0; j < n; j++) out[i] += table[i][index[j]];
  }

  std::atomic<int> count{0};
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update (line [[@LINE+2]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = ++count;
}
