// Where what a taskloop names moves by a constant from one iteration to the next, two iterations tell
// of all (trait 16 beside 4); where it may not, each is asked.
// RUN: clang++ -O1 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
struct Row { int *p; int a[8]; };
extern int index[], table[8][8];
extern int *rows[];
extern Row many[];

template <class... Items> void use(Items...);

// CHECK-LABEL: define{{.*}} @_Z6linear
void linear(int n, int *x, Row *r) {
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 20)
  #pragma oss taskloop in(x[i]) out(x[2 * i + n; 2])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 20)
  #pragma oss taskloop in(x[n - 1 - (i + 1) * n]) out(table[3][i]) inout(([n][n]x)[i])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 20)
  #pragma oss taskloop in(r->p[i], many[i].a[2]) out({x[i + k], k=0;n}) in(x[0;n])
  for (int i = 0; i < n; i++) use(x[i]);
}

// CHECK-LABEL: define{{.*}} @_Z5other
void other(int n, int *x) {
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(x[index[i]])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(x[i * i])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(x[i % 4])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(rows[i][3])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(many[i].p[0])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop in(x[i; i])
  for (int i = 0; i < n; i++) use(x[i]);
  // CHECK: tutti_task_begin({{.*}}, i32 noundef 4)
  #pragma oss taskloop collapse(2) in(table[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) use(x[i]);
}
