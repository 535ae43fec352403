// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations that write to `std::cout` and `std::cerr`, also in between with `printf`: each of
/// their lines is there once, those of one iteration in order, between what is printed before the
/// loop and behind it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kN = 2000;

/// Puts a file in the place of a stream while it lives, then prints its lines, those of iterations
/// in their order.
class Diverted {
public:
  explicit Diverted(int descriptor)
      : file_(std::tmpfile()), descriptor_(descriptor), before_((flush(), dup(descriptor))) {
    dup2(fileno(file_), descriptor);
  }

  ~Diverted() {
    flush();
    dup2(before_, descriptor_);
    close(before_);
    std::rewind(file_);
    std::vector<std::string> of(kN);
    std::vector<int> parts(kN);
    char line[512];
    int count = 0;
    while (std::fgets(line, sizeof line, file_)) {
      int iteration = 0;
      int part = 0;
      if (std::sscanf(line, "<%d.%d>", &iteration, &part) != 2) {
        std::cout << "behind " << count << ": " << line;
      } else if (parts[iteration]++ != part) {
        std::cout << "out of order: " << line;
      } else {
        of[iteration] += line;
        ++count;
      }
    }
    std::fclose(file_);
    for (const std::string &lines : of) {
      std::cout << lines;
    }
  }

private:
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }

  std::FILE *file_;
  int descriptor_;
  int before_;
};

/// A line in a critical section, because it is put together by many calls.
void lines(const double *a) {
  const Diverted diverted(STDOUT_FILENO);
  std::cout << "before" << std::endl;
#pragma omp parallel for
  for (int i = 0; i < kN; ++i) {
    const bool isOdd = i % 2 != 0;
    const char letter = static_cast<char>('a' + i % 26);
#pragma omp critical
    {
      std::cout << '<' << i << ".0> " << a[i] << ' ' << a[i] / 3 << std::setw(8) << i << letter << isOdd << ' ' << 1.5f
                << ' ' << static_cast<unsigned long>(i) << std::endl;
      std::printf("<%d.1> %s\n", i, isOdd ? "odd" : "even");
    }
  }
  std::cout << "behind\n";
}

/// Texts that an iteration has put together, and that libraries and the loop itself allocate.
void texts(const double *a) {
  const Diverted diverted(STDOUT_FILENO);
#pragma omp parallel for
  for (int i = 0; i < kN; ++i) {
    std::string line = "<" + std::to_string(i) + ".0> ";
    line.append(i % 50, 'x');
    line += i % 3 == 0 ? "short" : "a text that fits into no string as it is";
    char *const other = static_cast<char *>(std::malloc(64 + i % 100));
    std::snprintf(other, 64, "<%d.1> %g", i, a[i]);
#pragma omp critical
    {
      std::cout << line << ' ' << line.c_str() + 1 << std::setw(60) << line << std::endl;
      std::puts(other);
    }
    std::free(other);
  }
}

void errors(const double *a) {
  const Diverted diverted(STDERR_FILENO);
  std::cerr << "before\n";
#pragma omp parallel for
  for (int i = 0; i < kN; ++i) {
    if (a[i] > 990) {
#pragma omp critical
      std::cerr << "<" << i << ".0> " << a[i] << "\n";
    }
  }
  std::cerr << "behind" << std::endl;
}

} // namespace

int main() {
  std::vector<double> a(kN);
  double *const at = a.data();
#pragma omp parallel for
  for (int i = 0; i < kN; ++i) {
    at[i] = 0.5 * i;
  }
  lines(at);
  texts(at);
  errors(at);
  std::cout << std::setprecision(12) << std::fixed;
  lines(at);
  return 0;
}
