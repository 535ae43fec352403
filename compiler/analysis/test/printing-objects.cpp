// What iterations insert into `std::cout` and `std::cerr` goes where output goes, in the calls in which it was written.
// RUN: %tuttic++ -S -emit-llvm -o %t.ll %s 2>&1 | FileCheck %s
// RUN: FileCheck --input-file %t.ll --check-prefix IR %s
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>

// IR-LABEL: define internal void @_Z8insertediPd.omp_outlined.tutti.chunk(
// IR:         %[[STREAM:.*]] = call ptr @tutti_output_object(ptr {{.*}}, ptr {{.*}}@_ZSt4cout, i32 0)
// IR:         @_ZStls{{.*}}(ptr {{.*}}%[[STREAM]], ptr
// IR:         @_ZNSolsEPFRSoS_E(
// IR:         call ptr @tutti_output_object(ptr {{.*}}, ptr {{.*}}@_ZSt4cerr, i32 1)
void inserted(int n, double *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it prints
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::cout << "at " << i << ' ' << a[i] << std::setw(5) << 3u << std::endl;
    if (a[i] < 0) std::cerr << "below 0\n";
    a[i] = 1;
  }
}

// How the stream formats is rank 0's, and all threads'.
void changed(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it looks into a stream of the C++ library, or changes how it prints
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::cout << std::hex << i << '\n';
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (!(std::cout << i)) a[i] = 1;
  }
}

void elsewhere(int n, double *a, std::ostream &stream) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    stream << i << '\n';
    a[i] = 1;
  }
}

// What an iteration has put together for itself is read, and not kept.
void made(int n, const double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::string line = "row " + std::to_string(i);
    line.append(i % 40, '.');
    std::cout << line << a[i] << line.c_str() << '\n';
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char *text = static_cast<char *>(std::malloc(n));
    std::snprintf(text, n, "%d: %g", i, a[i]);
    std::puts(text);
    std::printf("%s\n", text);
    std::free(text);
  }
}

// A text that others find, too, is not the iteration's own.
void kept(int n, const double *a, char **texts) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with 'malloc'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char *text = static_cast<char *>(std::malloc(n));
    std::snprintf(text, n, "%d: %g", i, a[i]);
    std::puts(text);
    texts[i] = text;
  }
}
