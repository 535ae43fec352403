// What the C++ library defines is not looked for in the program's other files; what nobody is known
// to define is.
// RUN: %tuttic++ -O2 -Rpass-missed=tutti -c -o %t.o %s 2> %t.remarks
// RUN: FileCheck --input-file %t.remarks %s

#include <string>

// CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop stays on rank 0:
// CHECK-NOT: the link looks for
void grow(std::string *texts, const int *lengths, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < lengths[i]; ++k) {
      texts[i] += 'x';
    }
  }
}

int elsewhere(int value);

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}}; the link looks for 'elsewhere(int)'
void call(int *values, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    values[i] = elsewhere(values[i]);
  }
}
