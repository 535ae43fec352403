// Teams and threads that ask for their numbers become one parallel loop over the teams.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-merge-teams,tutti-team-loops,verify -S -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// RUN: FileCheck %s --check-prefix=TREE < %t.ll
// RUN: FileCheck %s --check-prefix=COUNT < %t.ll

int omp_get_team_num(void);
int omp_get_num_teams(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

// The threads of a team are iterations of plain loops, one for each stretch between barriers.
// IR-LABEL: define {{.*}} @tree(
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @tree.omp_outlined.numbers
// IR-NOT:     call {{.*}} @__kmpc_fork_teams(
// IR:       {{^}}}
// TREE-LABEL: define {{.*}} @tree.omp_outlined.numbers(
// TREE-NOT:     {{@omp_get|@malloc}}
// TREE:         call void @__kmpc_for_static_init_8(
// TREE-NOT:     call {{.*}} @__kmpc_
// TREE:         call void @__kmpc_for_static_fini(
// TREE-NOT:     call {{.*}} @__kmpc_
// TREE:       {{^}}}
void tree(int teams, const double *a, double *sums) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams num_teams(teams) thread_limit(64)
  {
    double shared[64];
    #pragma omp parallel
    {
      const int id = omp_get_thread_num();
      shared[id] = a[omp_get_team_num() * 64 + id];
      #pragma omp barrier
      for (int half = 32; half > 0; half /= 2) {
        if (id < half) shared[id] += shared[id + half];
        #pragma omp barrier
      }
      if (id == 0) sums[omp_get_team_num()] = shared[0];
    }
  }
}

// A limit that is known late is one more capture.
void late(int teams, int limit, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams num_teams(teams) thread_limit(limit)
  #pragma omp parallel
  x[omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num()] = omp_get_num_teams();
}

// Each thread adds, though all do the same.
// COUNT-LABEL: define {{.*}} @counting.omp_outlined.numbers(
// COUNT-NOT:     atomicrmw
// COUNT:         phi i64
// COUNT:         phi i64
// COUNT:         add i32 {{.*}}, 1
// COUNT-NOT:     atomicrmw
// COUNT:       {{^}}}
void counting(int teams, int *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams num_teams(teams) thread_limit(8)
  {
    int count = 0;
    #pragma omp parallel
    {
      #pragma omp atomic
      count++;
      #pragma omp barrier
      if (omp_get_thread_num() == 0) x[omp_get_team_num()] = count;
    }
  }
}

// A loop that is distributed may hold constructs whose threads ask for their numbers.
void distributed(int n, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams distribute thread_limit(4)
  for (int i = 0; i < n; i++) {
    double shared[4];
    #pragma omp parallel
    {
      const int id = omp_get_thread_num();
      shared[id] = x[4 * i + id];
      #pragma omp barrier
      x[4 * i + id] = shared[3 - id];
    }
  }
}

// Clang's loop that steps by a stride alone, executed by one thread.
void stepping(int n, int teams, int *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp teams num_teams(teams)
  {
    const int team = omp_get_team_num();
    #pragma omp distribute parallel for schedule(static, 1)
    for (int i = 0; i < n; i++) x[i] = team;
  }
}

// IR-LABEL: define {{.*}} @waiting(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void waiting(int teams, int *x) {
  #pragma omp teams num_teams(teams) thread_limit(2)
  {
    int ready = 0;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and its threads may wait for each other's variables
    #pragma omp parallel
    {
      int seen = 0;
      if (omp_get_thread_num() == 1) {
        #pragma omp atomic write
        ready = 1;
      }
      while (omp_get_num_threads() > 1 && !seen) {
        #pragma omp atomic read
        seen = ready;
      }
      x[omp_get_team_num()] = 1;
    }
  }
}

// IR-LABEL: define {{.*}} @apart(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void apart(int teams, int *x) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and whether its threads meet depends on their numbers
  #pragma omp teams num_teams(teams) thread_limit(8)
  #pragma omp parallel
  {
    if (omp_get_thread_num() < 4) {
      x[omp_get_team_num() * 8 + omp_get_thread_num()] = 1;
      #pragma omp barrier
      x[omp_get_team_num() * 8 + omp_get_thread_num() + 4] = 2;
    }
  }
}

// Nobody says how many teams there are: as many as OpenMP makes.
// IR-LABEL: define {{.*}} @open(
// IR:         call void {{.*}} @__kmpc_fork_teams(
void open(int *x) {
  #pragma omp teams
  x[omp_get_team_num()] = 1;
}
