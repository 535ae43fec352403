// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Containers whose elements lead to memory of their own.
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Body {
  double x, y;
  std::array<double, 3> speed;
};

struct Mesh {
  std::vector<std::vector<int>> neighbours;
  std::vector<double> value;

  std::vector<double> averaged() const {
    std::vector<double> result(value.size());
#pragma omp parallel for
    for (std::size_t cell = 0; cell < value.size(); ++cell) {
      double sum = 0;
      for (const int other : neighbours[cell]) {
        sum += value[other];
      }
      result[cell] = neighbours[cell].empty() ? value[cell] : sum / neighbours[cell].size();
    }
    return result;
  }
};

void rows() {
  std::vector<std::vector<double>> m(97);
  for (std::size_t i = 0; i < m.size(); ++i) {
    m[i].resize((i * 13) % 50);
  }
  std::vector<double> sums(m.size());
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (std::size_t j = 0; j < m[i].size(); ++j) {
        m[i][j] += 100. * i + j * step;
      }
    }
#pragma omp parallel for
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (const double v : m[i]) {
        sums[i] += v;
      }
    }
    m[step * 20].push_back(step);
    m[7].clear();
    m[8].swap(m[9]);
  }
  double total = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    total += sums[i] * (i % 7);
  }
  std::printf("rows %.10g\n", total);
}

void owned() {
  std::vector<std::unique_ptr<Body>> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(std::make_unique<Body>(Body{1. * i, 2. * i, {.5, 1. / (i + 1), 0}}));
  }
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for
    for (std::size_t i = 0; i < all.size(); ++i) {
      Body &body = *all[i];
      body.x += body.speed[0];
      body.y += body.speed[1];
      body.speed[2] = body.x * body.y;
    }
    all[step] = std::make_unique<Body>(Body{step * 1., 1, {1, 2, 3}});
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i]->x + all[i]->y * all[i]->speed[2];
  }
  std::printf("owned %.10g\n", sum);
}

void cubes() {
  constexpr int kCells = 12;
  std::vector<std::vector<std::vector<float>>> cube(
      kCells, std::vector<std::vector<float>>(kCells, std::vector<float>(kCells, 1)));
#pragma omp parallel for
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      for (int k = 0; k < kCells; ++k) {
        cube[i][j][k] += i * 100 + j * 10 + k;
      }
    }
  }
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    for (int k = 0; k < kCells; ++k) {
      sum += cube[i][k][kCells - 1 - i] * k;
    }
  }
  std::printf("cubes %.10g\n", sum);
}

} // namespace

int main() {
  rows();
  owned();
  cubes();
  Mesh mesh;
  for (int cell = 0; cell < 400; ++cell) {
    mesh.value.push_back(cell % 17);
    mesh.neighbours.emplace_back();
    for (int n = 0; n < cell % 6; ++n) {
      mesh.neighbours.back().push_back((cell * 7 + n * 31) % 400);
    }
  }
  for (int step = 0; step < 4; ++step) {
    mesh.value = mesh.averaged();
  }
  double sum = 0;
  for (std::size_t i = 0; i < mesh.value.size(); ++i) {
    sum += mesh.value[i] * (i % 5);
  }
  std::printf("mesh %.10g\n", sum);
}
