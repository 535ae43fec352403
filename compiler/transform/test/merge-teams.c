// Teams of threads become one parallel loop.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-merge-teams -S -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// RUN: FileCheck %s --check-prefix=MERGED < %t.ll
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=DEVICE
// Conditions that move keep no location of the function that they come from.
// RUN: clang -O1 -g -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-merge-teams,verify -disable-output

int omp_get_team_num(void);

// IR-LABEL: define {{.*}} @together(
// IR-NOT:     @__kmpc_push_num_teams
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @together.omp_outlined.merged
void together(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for num_teams(4) thread_limit(2) num_threads(3)
  for (int i = 0; i < n; i++) x[i] = i;
}

// One reduction remains: that of the teams.
// MERGED-LABEL: define {{.*}} @sum.omp_outlined.merged(
// MERGED-NOT:     @__kmpc_for_static_init_8({{.*}}i32 9
// MERGED:         call void @__kmpc_for_static_init_8({{.*}}i32 34
// MERGED:         call i32 @__kmpc_reduce_nowait(
// MERGED-NOT:     call i32 @__kmpc_reduce_nowait(
// MERGED:       {{^}}}
double sum(long n, const double *x) {
  double s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += x[i];
  return s;
}

int last(int n, double *x) {
  int l = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for lastprivate(l) dist_schedule(static, 5)
  for (int i = 0; i < n; i++) x[i] = l = i;
  return l;
}

// Threads that step by a stride get ranges.
// MERGED-LABEL: define {{.*}} @stepping.omp_outlined.merged(
// MERGED-NOT:     i32 33
// MERGED:       {{^}}}
void stepping(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for collapse(2) schedule(static, 1)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[i * n + j] = i;
}

void teamsOnly(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute
  for (int i = 0; i < n; i++) x[i] = i;
}

// One team would execute the iterations in their order.
// IR-LABEL: define {{.*}} @ordered(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void ordered(int n, double *x) {
  #pragma omp teams distribute num_teams(1)
  for (int i = 1; i < n; i++) x[i] += x[i - 1];
}

// IR-LABEL: define {{.*}} @maybeOrdered(
// IR:         icmp ne i32 {{.*}}, 1
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @maybeOrdered.omp_outlined.merged
// IR:         call void @__kmpc_push_num_teams(
// IR-NEXT:    call void {{.*}} @__kmpc_fork_teams(
void maybeOrdered(int n, int teams, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute num_teams(teams)
  for (int i = 1; i < n; i++) x[i] = i;
}

// So would one thread of one team.
// IR-LABEL: define {{.*}} @orderedThreads(
// IR-NOT:     call {{.*}} @__kmpc_fork_call(
// IR:         call void {{.*}} @__kmpc_fork_teams(
// IR-NOT:     call {{.*}} @__kmpc_fork_call(
// IR:         call void {{.*}} @__kmpc_fork_teams(
// IR:       {{^}}}
void orderedThreads(int n, double *x) {
  #pragma omp teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 1; i < n; i++) x[i] += x[i - 1];
  #pragma omp teams distribute parallel for num_teams(1) num_threads(1)
  for (int i = 1; i < n; i++) x[i] += x[i - 1];
}

// IR-LABEL: define {{.*}} @maybeOrderedThreads(
// IR:         %[[LIMIT:.*]] = icmp eq i32 {{.*}}, 1
// IR:         %[[TEAMS:.*]] = icmp eq i32 {{.*}}, 1
// IR:         %[[ONE:.*]] = and i1 %[[TEAMS]], %[[LIMIT]]
// IR:         %[[MANY:.*]] = xor i1 %[[ONE]], true
// IR:         br i1 %[[MANY]]
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @maybeOrderedThreads.omp_outlined.merged
// IR:         call void @__kmpc_push_num_teams(
// IR-NEXT:    call void {{.*}} @__kmpc_fork_teams(
void maybeOrderedThreads(int n, int teams, int threads, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for num_teams(teams) thread_limit(threads)
  for (int i = 1; i < n; i++) x[i] = i;
}

// What the program asks of its teams, the threads of a region do not know.
// IR-LABEL: define {{.*}} @asking(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void asking(int n, int *x) {
  #pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < n; i++) x[i] = omp_get_team_num();
}

void nested(int n, int m, const double *a, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute
  for (int i = 0; i < n; i++) {
    double s = 0;
    #pragma omp parallel for reduction(+ : s)
    for (int j = 0; j < m; j++) s += a[i * m + j];
    x[i] = s;
  }
}

// Where the condition does not hold, teams remain, of one thread each.
// IR-LABEL: define {{.*}} @conditional(
// IR-DAG:     call void {{.*}} @__kmpc_fork_call({{.*}} @conditional.omp_outlined.merged
// IR-DAG:     call void {{.*}} @__kmpc_fork_teams({{.*}} @conditional.omp_outlined
// IR:       {{^}}}
void conditional(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute parallel for if(n > 10)
  for (int i = 0; i < n; i++) x[i] = i;
}

// The threads of a team collect in one variable, which single threads do not have: that is left to
// the loop over the numbers of teams.
// IR-LABEL: define {{.*}} @collecting(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void collecting(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams num_teams(2)
  {
    double count = 0;
    #pragma omp distribute parallel for
    for (int i = 0; i < n; i++) {
      #pragma omp atomic
      count += x[i];
    }
    #pragma omp atomic
    x[0] += count;
  }
}

// Each team says so, not each thread.
// IR-LABEL: define {{.*}} @speaking(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void say(void);
void speaking(int n, double *x) {
  #pragma omp teams
  {
    say();
    // CHECK: remark: parallel loop stays on rank 0: its iterations are a part of those of a teams construct
    #pragma omp distribute parallel for
    for (int i = 0; i < n; i++) x[i] = i;
  }
}

// Target regions ask for a GPU unless a pragma says otherwise.
// DEVICE-DAG: [[GPU:@tutti.directive[.0-9]*]] = {{.*}} { i32 2, [3 x i32] zeroinitializer, [3 x i32] zeroinitializer }
// DEVICE-DAG: [[SIZED:@tutti.directive[.0-9]*]] = {{.*}} { i32 2, [3 x i32] zeroinitializer, [3 x i32] [i32 64, i32 0, i32 0] }
// DEVICE-DAG: [[CPU:@tutti.directive[.0-9]*]] = {{.*}} { i32 1, [3 x i32] zeroinitializer, [3 x i32] zeroinitializer }
// DEVICE-DAG: @together.omp_outlined.merged.tutti.region = {{.*}}, ptr null, ptr {{[^,]*}} }
// DEVICE-DAG: @__omp_offloading_{{[0-9a-f_]*}}_target_l{{[0-9]*}}.omp_outlined.tutti.region = {{.*}}, ptr [[GPU]], ptr {{[^,]*}} }
// DEVICE-DAG: @__omp_offloading_{{[0-9a-f_]*}}_sized_l{{[0-9]*}}.omp_outlined.merged.tutti.region = {{.*}}, ptr [[SIZED]], ptr {{[^,]*}} }
// DEVICE-DAG: @__omp_offloading_{{[0-9a-f_]*}}_cpu_l{{[0-9]*}}.omp_outlined.merged.tutti.region = {{.*}}, ptr [[CPU]], ptr {{[^,]*}} }
// DEVICE-DAG: @inside.omp_outlined.tutti.region = {{.*}}, ptr {{@tutti.directive[.0-9]*}}, ptr {{[^,]*}} }
static void inside(int n, double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] *= 2;
}

void target(int n, double *x) {
  #pragma omp target parallel for
  for (int i = 0; i < n; i++) x[i] = i;
  #pragma omp target
  inside(n, x);
}

void sized(int n, double *x) {
  #pragma tutti block(64)
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}

void cpu(int n, double *x) {
  #pragma tutti device(cpu)
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}
