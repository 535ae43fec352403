// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which task runs before which: dependences, priorities, and the end of tasks' lives.
#include "include/tutti/ompss/nanos6/blocking.h"
#include "include/tutti/ompss/nanos6/debug.h"

#include <atomic>
#include <memory>
#include <vector>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

void readersAndWriters() {
  constexpr int kRounds = 200;
  int cell = 0;
  std::atomic<int> readers{0};
  for (int round = 0; round < kRounds; ++round) {
    task([&cell, &readers, round] {
      expect(readers == 15 * round && cell == round, "a writer waits for readers");
      cell = round + 1;
    })
        .out(cell)
        .submit();
    for (int reader = 0; reader < 15; ++reader) {
      task([&cell, &readers, round] {
        expect(cell == round + 1, "readers wait for the writer");
        ++readers;
      })
          .in(cell)
          .submit();
    }
  }
  wait();
  expect(readers == 15 * kRounds, "all run");
}

void commutative() {
  int cell = 0;
  std::atomic<int> inside{0};
  for (int index = 0; index < 300; ++index) {
    task([&cell, &inside] {
      expect(inside.fetch_add(1) == 0, "commutative tasks are never together");
      ++cell;
      inside.fetch_sub(1);
    })
        .access(TUTTI_TASK_COMMUTATIVE, cell)
        .submit();
  }
  wait();
  expect(cell == 300, "all commutative tasks run");
}

void priorities() {
  if (nanos6_get_num_cpus() > 1) {
    return; // Others may take what is there before the rest has come.
  }
  std::vector<int> order;
  for (const int priority : {0, 5, -3, 9, 1}) {
    task([&order, priority] { order.push_back(priority); })
        .option(TUTTI_TASK_PRIORITY, priority)
        .submit();
  }
  wait();
  expect(order == std::vector<int>{9, 5, 1, 0, -3}, "larger priorities first");
}

/// With `wait` what comes after a task waits for its children, too.
void waitingTask() {
  int cell = 0;
  std::atomic<bool> isChildOver{false};
  Making(
      [&] {
        task([&] {
          nanos6_wait_for(2000);
          isChildOver = true;
        }).submit();
      },
      "waits", TUTTI_TASK_WAITS)
      .out(cell)
      .submit();
  bool isSeen = false;
  task([&] { isSeen = isChildOver; }).in(cell).submit();
  wait();
  expect(isSeen, "nothing is released before the children are over");
}

/// Copies live until children that use them are over.
void lifetime() {
  std::atomic<int> alive{0};

  struct Copy {
    explicit Copy(std::atomic<int> &count) : alive(&count) { ++count; }

    Copy(const Copy &other) : alive(other.alive) { ++*alive; }

    Copy(Copy &&other) noexcept : alive(other.alive) { ++*alive; }

    ~Copy() { --*alive; }

    std::atomic<int> *alive;
  };

  for (int index = 0; index < 100; ++index) {
    task([copy = Copy(alive)] {
      task([&copy] {
        nanos6_wait_for(10);
        expect(*copy.alive > 0, "a parent's copies live as long as its children");
      }).submit();
    }).submit();
  }
  wait();
  expect(alive == 0, "copies are destroyed");
}

void nestedDependences() {
  std::vector<int> values(64, 0);
  for (int round = 0; round < 10; ++round) {
    auto making = task([&values] {
      for (int &value : values) {
        task([&value] { value = 3 * value + 1; }).inout(value).submit();
      }
    });
    tutti_task_access(TUTTI_TASK_INOUT | TUTTI_TASK_WEAK, values.data(),
                      values.size() * sizeof(int));
    making.submit();
  }
  wait();
  int expected = 0;
  for (int round = 0; round < 10; ++round) {
    expected = 3 * expected + 1;
  }
  for (const int value : values) {
    expect(value == expected, "children of one task wait for those of another");
  }
}

void released() {
  int cell = 0;
  std::atomic<bool> isSeen{false};
  task([&] {
    cell = 1;
    tutti_task_release_begin("by_hand.cpp:5");
    tutti_task_access(TUTTI_TASK_OUT, &cell, sizeof cell);
    tutti_task_release_end();
    while (!isSeen) {
      nanos6_wait_for(100);
    }
  })
      .out(cell)
      .submit();
  task([&] { isSeen = cell == 1; }).in(cell).submit();
  wait();
  expect(isSeen, "what is released is free before the task ends");
}

void sections() {
  constexpr int kRows = 8;
  constexpr int kColumns = 16;
  static int matrix[kRows][kColumns];
  for (int column = 0; column < kColumns; ++column) {
    auto making = task([column] {
      for (auto &row : matrix) {
        row[column] = column;
      }
    });
    tutti_task_section(TUTTI_TASK_OUT, matrix, 2, sizeof matrix[0], std::int64_t{0},
                       std::int64_t{kRows}, sizeof(int), std::int64_t{column}, std::int64_t{1});
    making.submit();
  }
  std::atomic<int> right{0};
  for (int row = 0; row < kRows; ++row) {
    auto making = task([row, &right] {
      bool isRight = true;
      for (int column = 0; column < kColumns; ++column) {
        isRight = isRight && matrix[row][column] == column;
      }
      right += isRight ? 1 : 0;
    });
    tutti_task_section(TUTTI_TASK_IN, matrix, 2, sizeof matrix[0], std::int64_t{row},
                       std::int64_t{1}, sizeof(int), std::int64_t{0}, std::int64_t{kColumns});
    making.submit();
  }
  wait();
  expect(right == kRows, "rows wait for columns");
}

} // namespace

int main() {
  readersAndWriters();
  commutative();
  priorities();
  waitingTask();
  lifetime();
  nestedDependences();
  released();
  sections();
  std::puts("passed");
}
