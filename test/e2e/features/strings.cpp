// The program's own code of std::string is none of the compiler's that a device's driver brings,
// which runs while a launch waits for a kernel: memory that is used again opens only behind it.
#include <cstdio>
#include <string>
#include <vector>

// Not inlined, so that the program has the functions of strings.
__attribute__((noinline)) static void grow(std::string &text, const std::string &more) {
  text = more;
  text += more;
  text.append(40, 'x');
  text.resize(text.size() + 9, 'y');
}

// All pages of many small rows belong to a device; then they are free.
static long rows(int length) {
  std::vector<std::vector<char>> rows(3000, std::vector<char>(length, 1));
#pragma omp parallel for
  for (int i = 0; i < 3000; ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      rows[i][j] = static_cast<char>(rows[i][j] + i % 5);
    }
  }
  return rows[7][3] + rows[2999][length - 1];
}

int main() {
  long sum = 0;
  for (int length = 17; length < 260; length += length / 4) {
    sum += rows(length);
  }
  std::vector<long> a(5000, 3);
#pragma omp parallel for
  for (int i = 0; i < 5000; ++i) {
    a[i] += i;
  }
  std::string text;
  grow(text, std::to_string(sum));
  std::printf("%s %ld\n", text.c_str(), a[4999]);
}
