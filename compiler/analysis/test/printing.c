// What iterations print is none of the things that keep a loop home, if all is known that it reads.
// RUN: %tutticc -S -emit-llvm -o %t.ll %s 2>&1 | FileCheck %s
// RUN: FileCheck --input-file %t.ll --check-prefix IR %s
#include <stdio.h>
#include <wchar.h>

// Streams are what the chunk says; texts that ranks share move to the compute view, and are read.
// IR-LABEL: define internal void @prints.omp_outlined.tutti.chunk(
// IR:         %[[OUT:.*]] = load ptr, ptr @stdout
// IR:         %[[STREAM:.*]] = call ptr @tutti_output(ptr {{.*}}, ptr %[[OUT]])
// IR:         @fprintf(ptr %[[STREAM]], {{.*}}, i32 %{{.*}}, double %{{.*}})
// IR:         %[[OTHER:.*]] = call ptr @tutti_output(
// IR:         @fputs(ptr {{.*}}, ptr {{.*}}%[[OTHER]])
// IR:         call ptr @tutti_output(
// IR:         putc(i32 {{.*}}10, ptr
// IR-LABEL: define internal void @prints.omp_outlined.tutti.accesses(
// IR:         call void @tutti_access(ptr {{.*}}, i32 13, i64 {{.*}})
void prints(int n, double *a, char (*names)[16]) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it prints (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf("%d %g\n", i, a[i]);
    fputs(names[i], stdout);
    putchar('\n');
    a[i] = 1;
  }
}

void sometimes(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      char own[8] = "abc";
      own[1] = (char)('0' + i % 10);
      puts("below 0");
      fprintf(stderr, "%s %5.*f%%\n", own, 3, a[i]);
      fwrite(own, 1, 2, stderr);
      fflush(stdout);
    }
    a[i] = 1;
  }
}

// Sections for output alone keep the texts of a rank's threads apart.
// IR-LABEL: define internal void @sections.omp_outlined.tutti.chunk(
// IR:         call void @__kmpc_critical(
// IR:         @fprintf(
// IR:         call void @__kmpc_end_critical(
void sections(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 1) {
      #pragma omp critical
      {
        printf("%d", i);
        if (i % 2) printf(" odd");
        puts("");
      }
    }
    a[i] = 1;
  }
}

void more_sections(int n, double *a, int *count) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    {
      printf("%d", i);
      ++*count;
    }
    a[i] = 1;
  }
}

// One of several formats, as the optimiser makes of two calls.
void chosen(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf(a[i] > 0 ? "more: %g\n" : "%g\n", a[i]);
    a[i] = 1;
  }

  // Not if they do not ask for the same texts.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the format of 'printf' is no constant, or asks for more
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf(a[i] > 0 ? "%d: %s\n" : "%d\n", i, (const char *)a);
    a[i] = 1;
  }
}

void unknown(int n, double *a, int *b, const char *format) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the format of 'printf' is no constant, or asks for more than numbers and plain texts (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf(format, a[i]);
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the format of 'printf' is no constant, or asks for more
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf("%d%n\n", i, &b[i]);
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it looks at what 'printf' returns (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    b[i] = printf("%d\n", i);
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the format of 'printf' is no constant, or asks for more
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    printf("%ls\n", L"wide");
    a[i] = 1;
  }
}

void elsewhere(int n, double *a, FILE *file) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes with 'fprintf' to another stream than stdout and stderr (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    fprintf(file, "%d\n", i);
    a[i] = 1;
  }
}

// Each thread of each rank would print it.
void beside(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it prints with 'puts' (line [[@LINE+3]])
  #pragma omp parallel
  {
    puts("here");
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = 1;
  }
}

struct node {
  struct node *next;
  double value;
};

// What a stray pointer has led to must not have been printed.
void follows(int n, struct node **lists) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows pointers that it finds in memory, and prints (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (struct node *at = lists[i]; at; at = at->next) printf("%g\n", at->value);
  }
}

// Which of several texts is printed may depend on the iteration.
void one_of(int n, double *a, const char *text) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char own[20];
    snprintf(own, sizeof own, "%g", a[i]);
    printf("%d %s\n", i, a[i] < 0 ? own : a[i] > 1 ? text : "none");
    a[i] = 1;
  }
}
