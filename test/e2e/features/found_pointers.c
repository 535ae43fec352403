// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that read through pointers that they find in memory while they run: lists, trees, hash
/// chains, rows by a computed index, graphs; of nodes in the heap, among the variables and on the
/// stack, between loops that are divided and sequential code that changes the nodes.
#include <stdio.h>
#include <stdlib.h>

enum { N = 700, kValues = 5000, kBuckets = 97, kNear = 4 };

typedef struct Node {
  double value;
  int key;
  struct Node *next;
} Node;

typedef struct Tree {
  int key;
  double value;
  struct Tree *left, *right;
} Tree;

typedef struct Vertex {
  double value;
  int degree;
  struct Vertex *near[kNear];
} Vertex;

static Node fixed[200];
static double results[N];

static unsigned next(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

static void print(const char *name, const double *values, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += values[i] * (i % 13 + 1);
  }
  printf("%s: %.10g\n", name, sum);
}

static void push(Node **head, double value, int key) {
  Node *node = malloc(sizeof *node);
  *node = (Node){value, key, *head};
  *head = node;
}

static void drop(Node **head) {
  while (*head) {
    Node *node = *head;
    *head = node->next;
    free(node);
  }
}

/// The sum of each list.
static void sums(Node **heads, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (const Node *node = heads[i]; node; node = node->next) {
      sum += node->value;
    }
    out[i] = sum;
  }
}

static double total(Node **heads, int n) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (const Node *node = heads[i]; node; node = node->next) {
      sum += node->value;
    }
  }
  return sum;
}

/// The key of the largest node of each list, if it has any.
static void largest(Node **heads, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const Node *best = NULL;
    for (const Node *node = heads[i]; node; node = node->next) {
      if (!best || node->value > best->value) {
        best = node;
      }
    }
    out[i] = best ? best->key : -1.0;
  }
}

/// The keys of each list, with pieces of other sizes.
static void keys(Node **heads, long *dynamic, long *cyclic, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    dynamic[i] = 0;
    for (const Node *node = heads[i]; node; node = node->next) {
      dynamic[i] = 31 * dynamic[i] + node->key;
    }
  }
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; ++i) {
    cyclic[i] = 0;
    for (const Node *node = heads[i]; node; node = node->next) {
      cyclic[i] = 31 * cyclic[i] - node->key;
    }
  }
}

static void lists(void) {
  Node **heads = calloc(N, sizeof *heads);
  double *out = malloc(N * sizeof *out);
  long *dynamic = malloc(N * sizeof *dynamic);
  long *cyclic = malloc(N * sizeof *cyclic);
  unsigned state = 7;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < N; ++i) {
      if (round > 0 && i % 3 == 0) {
        drop(&heads[i]);
      }
      for (unsigned k = next(&state) >> 16; k % 8 > 0; --k) {
        push(&heads[i], i + k % 8, (int)(next(&state) >> 20));
      }
    }
    sums(heads, out, N);
    print("lists", out, N);
    sums(heads, results, N);
    print("lists of variables", results, N);
    printf("total: %.10g\n", total(heads, N));
    largest(heads, out, N);
    print("largest", out, N);
    keys(heads, dynamic, cyclic, N);
    printf("keys: %ld %ld\n", dynamic[N / 3], cyclic[N / 3]);
  }
  for (int i = 0; i < N; ++i) {
    drop(&heads[i]);
  }
  free(heads);
  free(out);
  free(dynamic);
  free(cyclic);
}

/// Nodes among the variables and on the stack; the first are on large pages of their own.
static void elsewhere(void) {
  Node local[50];
  Node *heads[60];
  double out[60];
  for (int i = 0; i < 200; ++i) {
    fixed[i] = (Node){i * 0.5, i, i % 4 == 3 ? NULL : &fixed[i + 1]};
  }
  for (int i = 0; i < 50; ++i) {
    local[i] = (Node){i * 0.25, i, &fixed[4 * i]};
  }
  for (int i = 0; i < 60; ++i) {
    heads[i] = i < 50 ? &local[i] : &fixed[i];
  }
  for (int round = 0; round < 3; ++round) {
    sums(heads, out, 60);
    print("elsewhere", out, 60);
    local[round].value = 100.0;
    fixed[4 * round].next = &local[10];
  }
}

static Tree *insert(Tree *tree, int key, double value) {
  if (!tree) {
    tree = malloc(sizeof *tree);
    *tree = (Tree){key, value, NULL, NULL};
  } else if (key < tree->key) {
    tree->left = insert(tree->left, key, value);
  } else if (key > tree->key) {
    tree->right = insert(tree->right, key, value);
  }
  return tree;
}

static void search(const Tree *root, const int *wanted, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const Tree *tree = root;
    while (tree && tree->key != wanted[i]) {
      tree = wanted[i] < tree->key ? tree->left : tree->right;
    }
    out[i] = tree ? tree->value : -1.0;
  }
}

static void trees(void) {
  Tree *root = NULL;
  unsigned state = 3;
  int *wanted = malloc(kValues * sizeof *wanted);
  double *out = malloc(kValues * sizeof *out);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kValues; ++i) {
      root = insert(root, (int)(next(&state) >> 18), i);
      wanted[i] = (int)(next(&state) >> 18);
    }
    search(root, wanted, out, kValues);
    print("tree", out, kValues);
  }
  free(wanted);
  free(out);
}

/// How often each word was counted: chains of a table that is a variable.
static Node *table[kBuckets];

static void chains(void) {
  static int words[N];
  unsigned state = 11;
  for (int i = 0; i < 300; ++i) {
    const int key = (int)(next(&state) >> 23);
    push(&table[key % kBuckets], i, key);
  }
  for (int i = 0; i < N; ++i) {
    words[i] = (int)(next(&state) >> 23);
  }
  int found = 0;
  double last = 0.0;
#pragma omp parallel for reduction(+ : found) reduction(max : last)
  for (int i = 0; i < N; ++i) {
    for (const Node *node = table[words[i] % kBuckets]; node; node = node->next) {
      if (node->key == words[i]) {
        ++found;
        last = node->value > last ? node->value : last;
        break;
      }
    }
  }
  printf("chains: %d %g\n", found, last);
}

static void rows(void) {
  enum { kRows = 40, kColumns = 90 };

  double *grid[kRows];
  int index[N];
  double *out = malloc(N * sizeof *out);
  for (int i = 0; i < kRows; ++i) {
    grid[i] = malloc(kColumns * sizeof *grid[i]);
    for (int j = 0; j < kColumns; ++j) {
      grid[i][j] = i * 100 + j;
    }
  }
  for (int i = 0; i < N; ++i) {
    index[i] = i * 7 % kRows;
  }
  for (int round = 0; round < 2; ++round) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      double sum = 0.0;
      for (int j = 0; j < kColumns; ++j) {
        sum += grid[index[i]][j];
      }
      out[i] = sum;
    }
    print("rows", out, N);
    grid[round + 3][5] = -7.0;
  }
  for (int i = 0; i < kRows; ++i) {
    free(grid[i]);
  }
  free(out);
}

/// Relaxes the values of a graph; the new ones are copied back by another loop.
static void graph(void) {
  Vertex *vertices = malloc(N * sizeof *vertices);
  double *fresh = malloc(N * sizeof *fresh);
  unsigned state = 5;
  for (int i = 0; i < N; ++i) {
    vertices[i].value = i % 17;
    vertices[i].degree = (int)(next(&state) >> 16) % (kNear + 1);
    for (int k = 0; k < kNear; ++k) {
      vertices[i].near[k] = k < vertices[i].degree ? &vertices[(next(&state) >> 8) % N] : NULL;
    }
  }
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      double sum = vertices[i].value;
      for (int k = 0; k < vertices[i].degree; ++k) {
        sum += vertices[i].near[k]->value;
      }
      fresh[i] = sum / (vertices[i].degree + 1);
    }
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      vertices[i].value = fresh[i];
    }
  }
  print("graph", fresh, N);
  free(vertices);
  free(fresh);
}

/// What is written at computed addresses, from what is found.
static void scattered(void) {
  Node *heads[N];
  int index[N];
  double *out = calloc(2 * N, sizeof *out);
  for (int i = 0; i < N; ++i) {
    heads[i] = NULL;
    push(&heads[i], i, i);
    push(&heads[i], 2 * i, i);
    index[i] = i * 2 + (i % 5 == 0);
  }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    out[index[i]] = heads[i]->value + heads[i]->next->value;
  }
  print("scattered", out, 2 * N);
  for (int i = 0; i < N; ++i) {
    drop(&heads[i]);
  }
  free(out);
}

/// What the last iteration finds is looked at behind the loop.
static void last(void) {
  Node *heads[30];
  double value = 0.0;
  for (int i = 0; i < 30; ++i) {
    heads[i] = NULL;
    push(&heads[i], i + 0.5, i);
  }
#pragma omp parallel for lastprivate(value)
  for (int i = 0; i < 30; ++i) {
    value = 0.0;
    for (const Node *node = heads[i]; node; node = node->next) {
      value += node->value;
    }
    results[i] = value;
  }
  printf("last: %g\n", value);
}

int main(void) {
  lists();
  elsewhere();
  trees();
  chains();
  rows();
  graph();
  scattered();
  last();
  return 0;
}
