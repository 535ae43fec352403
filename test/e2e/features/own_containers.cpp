// Strings, trees, lists and tables that are local to an iteration grow on each rank.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

constexpr int kRows = 2000;
constexpr int kKeys = 48;

void strings(const char *text, long *out) {
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    std::string grown;
    for (int k = 0; k < i % 90; ++k) {
      grown += text[(i + k) % 500];
    }
    std::string more = "row " + std::to_string(i);
    more += text + i % 450;
    more.append(i % 7, 'x');
    more.insert(2, grown);
    std::string copy = more;
    copy.erase(1, 2);
    std::replace(copy.begin(), copy.end(), 'e', '#');
    const auto found = more.find("ab");
    long sum = found == std::string::npos ? -1 : static_cast<long>(found);
    for (std::size_t k = 0; k < copy.size(); ++k) {
      sum = sum * 31 + copy[k];
    }
    out[i] = sum + (copy < more ? 7 : 5);
  }
}

void maps(const int *keys, long *out) {
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    std::map<int, int> counts;
    for (int k = 0; k < kKeys; ++k) {
      counts[keys[i + k]] += k;
    }
    counts.erase(keys[i]);
    std::map<int, std::map<int, long>> nested;
    for (int k = 0; k < kKeys; ++k) {
      nested[keys[i + k] % 5][keys[k]] += keys[i + k];
    }
    nested.erase(2);
    long sum = counts.size() + nested[1].size();
    for (const auto &[key, count] : counts) {
      sum = sum * 17 + key * count;
    }
    out[i] = sum;
  }
}

void sets(const int *keys, long *out) {
#pragma omp parallel for schedule(dynamic, 5)
  for (int i = 0; i < kRows; ++i) {
    std::set<int> seen;
    std::multiset<long> all;
    for (int k = 0; k < kKeys; ++k) {
      seen.insert(keys[i + k]);
      all.insert(keys[i + k] % 10);
    }
    out[i] = *seen.begin() + 3L * seen.size() + all.count(3) + (seen.count(17) ? 1000 : 0);
  }
}

void tables(const int *keys, long *out) {
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    std::unordered_map<int, long> counts;
    std::unordered_set<int> seen;
    for (int k = 0; k < kKeys; ++k) {
      counts[keys[i + k]] += k;
      seen.insert(keys[i + k] / 3);
    }
    long sum = seen.size();
    for (const auto &[key, count] : counts) {
      sum += key * count;
    }
    out[i] = sum;
  }
}

void lists(const int *keys, long *out) {
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    std::list<int> waiting;
    std::deque<int> queue;
    for (int k = 0; k < kKeys; ++k) {
      keys[i + k] % 2 ? waiting.push_back(keys[i + k]) : waiting.push_front(k);
      queue.push_back(keys[i + k]);
      if (queue.size() > 9) {
        queue.pop_front();
      }
    }
    waiting.remove(3);
    waiting.reverse();
    long sum = 0;
    for (int value : waiting) {
      sum = sum * 7 + value;
    }
    for (int value : queue) {
      sum = sum * 3 + value;
    }
    out[i] = sum;
  }
}

struct Node {
  int key;
  Node *left = nullptr;
  Node *right = nullptr;
  explicit Node(int key) : key(key) {}
};

void drop(Node *node) {
  if (node) {
    drop(node->left);
    drop(node->right);
    delete node;
  }
}

long weigh(const Node *node, int depth) {
  return node ? node->key * depth + weigh(node->left, depth + 1) + weigh(node->right, depth + 2) : 0;
}

void trees(const int *keys, long *out) {
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    Node *root = nullptr;
    for (int k = 0; k < kKeys; ++k) {
      Node **place = &root;
      while (*place) {
        place = keys[i + k] < (*place)->key ? &(*place)->left : &(*place)->right;
      }
      *place = new Node(keys[i + k]);
    }
    out[i] = weigh(root, 1);
    drop(root);
  }
}

void report(const char *name, const long *out) {
  unsigned long hash = 5;
  for (int i = 0; i < kRows; ++i) {
    hash = hash * 1000003 + static_cast<unsigned long>(out[i]);
  }
  std::printf("%s %lx\n", name, hash);
}

} // namespace

int main() {
  char *text = new char[501];
  for (int i = 0; i < 500; ++i) {
    text[i] = "abcde fgh"[i * i % 9];
  }
  text[500] = '\0';
  int *keys = new int[kRows + kKeys];
  for (int i = 0; i < kRows + kKeys; ++i) {
    keys[i] = i * 7919 % 61;
  }
  long *out = new long[kRows];
  strings(text, out);
  report("strings", out);
  maps(keys, out);
  report("maps", out);
  sets(keys, out);
  report("sets", out);
  tables(keys, out);
  report("tables", out);
  lists(keys, out);
  report("lists", out);
  trees(keys, out);
  report("trees", out);
  delete[] text;
  delete[] keys;
  delete[] out;
}
