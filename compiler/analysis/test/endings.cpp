// What may throw ends the program if it leaves the region, and so do failed assertions: a loop is
// divided if that is all that stands in the way, but has no kernel. So does `exit`, which rank 0
// calls. Other calls keep it home.
// RUN: %tuttic++ -S -emit-llvm -o %t.ll %s 2>&1 | FileCheck %s
// RUN: FileCheck --input-file %t.ll --check-prefix IR %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
int opaque(int);
int harmless(int) noexcept __attribute__((const));
[[noreturn]] void report(int);

// The check's own read is one of the region's: of what is read and written.
// IR-LABEL: define internal void @_Z7literaliPi.omp_outlined.tutti.chunk(
// IR:         @__cxa_throw
// IR-LABEL: define internal void @_Z7literaliPi.omp_outlined.tutti.accesses(
// IR:         call void @tutti_access(ptr {{.*}}, i32 3, i64
void literal(int n, int *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it may end the program (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) throw i;
    a[i] = 1;
  }
}

void aborted(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i == 1000) std::abort();
    a[i] = 1;
  }
}

void plain(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = harmless(i);
}

void home(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'opaque(int)', which may throw an exception
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = opaque(i);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'report(int)'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) report(i);
    a[i] = 1;
  }

  // What an ending does before it is looked at as well.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it may throw an exception
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) throw opaque(i);
    a[i] = 1;
  }
}

// Messages on stderr are told by the rank that has them to tell. What other ranks have written must
// not be read for them, and stdout is rank 0's.
// IR-LABEL: define internal void @_Z4toldiPi.omp_outlined.tutti.chunk(
// IR:         load ptr, ptr @stderr
// IR:       {{^}$}}
void told(int n, int *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it may end the program (line [[@LINE+5]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int value = a[i];
    if (value < 0) {
      std::fprintf(stderr, "%d: %d in %s\n", i, value, "a");
      std::perror("told");
      std::abort();
    }
    a[i] = 1;
  }
}

void untold(int n, int *a, int *b, char *text) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it prints with 'fprintf'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      std::fprintf(stderr, "%d\n", b[i]);
      std::abort();
    }
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it prints with 'fprintf'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      char copy[64];
      std::memcpy(copy, text, sizeof copy);
      std::fprintf(stderr, "%d %s\n", i, copy);
      std::abort();
    }
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it prints with 'fputs'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      std::fputs(text, stderr);
      std::abort();
    }
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it prints with 'printf'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      std::printf("%d\n", i);
      std::abort();
    }
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it prints with 'printf'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      std::printf("%d\n", b[i]);
      std::exit(1);
    }
    a[i] = 1;
  }
}

// The thread leaves its loop for what is behind it.
// IR-LABEL: define internal void @_Z5exitsiPi.omp_outlined.tutti.chunk(
// IR:         %[[STREAM:.*]] = call ptr @tutti_output(ptr {{.*}}, ptr %{{.*}})
// IR:         @fprintf(ptr %[[STREAM]], {{.*}})
// IR:         call void @tutti_exit(ptr {{.*}}, i32 3)
// IR-NEXT:    br label %[[BEHIND:.*]]{{$}}
// IR:       [[BEHIND]]:
// IR-NEXT:    call void @__kmpc_for_static_fini
void exits(int n, int *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it may end the program (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      std::printf("%d is below 0\n", i);
      std::exit(3);
    }
    a[i] = 1;
  }
}
