// Strings, trees and tables that are local to an iteration are the thread's own, with all that they
// allocate. What leads to memory of others keeps a loop home.
// RUN: %tuttic++ -O2 -std=c++17 -c -o /dev/null %s 2>&1 | FileCheck %s

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void grown(int n, const char *text, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::string s = "row ";
    for (int k = 0; k < i % 50; k++) s += text[k];
    s.append(text + i);
    s = std::to_string(i) + s;
    a[i] = s.size() + s[i % s.size()];
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void counted(int n, const int *key, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::map<int, int> m;
    std::unordered_map<long, double> h;
    for (int k = 0; k < 20; k++) m[key[i + k]]++, h[key[i - k]] += 0.5;
    m.erase(3);
    for (auto &e : m) a[i] += e.first * e.second;
    for (auto &e : h) a[i] += e.second;
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void nested(int n, const int *key, const double *b, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::map<int, std::map<int, double>> m;
    for (int k = 0; k < 20; k++) m[key[i + k]][key[i - k]] += b[k];
    for (auto &e : m) a[i] += e.first * e.second.begin()->second;
  }
}

// A pointer in the string is the string's own, whatever its characters are. One in a field beside it is not.
struct Named {
  int number;
  std::string name;
  const double *values;
};

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void named(int n, const char *text, const double *b, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Named it{i, text + i, nullptr};
    it.name.append(text + i % 8);
    a[i] = b[it.number] + it.name[0];
  }
}

__attribute__((noinline)) void take(Named &);

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with
void kept(int n, const char *text, const double *b, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::vector<Named> all;
    for (int k = 0; k < 5; k++) all.push_back({k, text + k, b + i + k});
    a[i] = *all[i % 5].values;
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with
void leading(int n, const double *b, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::map<int, const double *> m;
    for (int k = 0; k < 20; k++) m[k * 7 % 13] = b + i + k;
    for (auto &e : m) a[i] += *e.second;
  }
}

// Addresses may be numbers for a while.
// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it {{follows|reaches|allocates}}
void numbers(int n, const double *b, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::map<int, unsigned long> m;
    for (int k = 0; k < 20; k++) m[k * 7 % 13] = (unsigned long)(b + i + k);
    for (auto &e : m) a[i] += *(const double *)e.second;
  }
}

// Addresses may be copied as bytes.
// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows a pointer that it keeps in a private variable
void bytes(int n, int size, const void *rows, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double **own = (double **)malloc(n * size);
    memcpy(own, rows, n * size);
    a[i] = own[i][i];
    free(own);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows a pointer that it keeps in a private variable
void text_of_addresses(int n, const char *rows, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::string own;
    own.append(rows + 8 * i, 8);
    double *row;
    memcpy(&row, own.data(), 8);
    a[i] = row[i];
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{.*}}basic_string
void handed_on(int n, const char *text, std::string *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::string own(text + i);
    own += text;
    a[i] = std::move(own);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with
void swapped(int n, std::map<int, int> *a, int *b) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::map<int, int> own;
    own[i] = 1;
    own.swap(a[i]);
    b[i] = own.size();
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with
void given(int n, std::list<int> *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::list<int> own;
    own.push_back(i);
    a[i].splice(a[i].begin(), own);
  }
}

struct Node {
  int key;
  Node *left, *right;
};

static void drop(Node *node) {
  if (!node) return;
  drop(node->left);
  drop(node->right);
  free(node);
}

static void insert(Node **place, int key) {
  while (*place) place = key < (*place)->key ? &(*place)->left : &(*place)->right;
  *place = (Node *)calloc(1, sizeof(Node));
  (*place)->key = key;
}

static int weigh(const Node *node) { return node ? node->key + 2 * weigh(node->left) + 3 * weigh(node->right) : 1; }

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void trees(int n, const int *key, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Node *root = nullptr;
    for (int k = 0; k < 20; k++) insert(&root, key[i + k]);
    a[i] = weigh(root);
    drop(root);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'weigh(Node const*)', which cannot be analysed in place
void others_trees(int n, Node **roots, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = weigh(roots[i]);
    drop(roots[i]);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'weigh(Node const*)', which cannot be analysed in place
void mixed_trees(int n, Node **roots, const int *key, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Node *root = i % 2 ? roots[i] : nullptr;
    for (int k = 0; k < 20; k++) insert(&root, key[i + k]);
    a[i] = weigh(root);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{.*}}basic_string
void shown(int n, const char *text, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Named it{i, text + i, nullptr};
    it.name += "more than fits into the variable";
    take(it);
    a[i] = *it.values;
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void words(int n, const char *lines, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char copy[40], *place;
    strcpy(copy, lines + i * 40);
    for (char *word = strtok_r(copy, " ", &place); word; word = strtok_r(nullptr, " ", &place)) a[i] += atoi(word);
  }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'strtok_r'
void words_of_others(int n, char *lines, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    char *place;
    for (char *word = strtok_r(lines + i * 40, " ", &place); word; word = strtok_r(nullptr, " ", &place)) a[i] += atoi(word);
  }
}
