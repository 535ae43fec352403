// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose iterations become tasks.
#include "include/tutti/ompss/nanos6/debug.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

/// What Clang lays out: captured variables in the shareds, a private copy behind the block.
struct Shareds {
  std::int64_t *values;
  std::atomic<int> *chunks;
  std::atomic<int> *last;
};

struct Loop {
  tutti_task_block head;
  std::string text; ///< Is copied by `duplicate`.
};

std::int64_t sizeAsked = 0;

std::int32_t loopEntry(std::int32_t, void *memory) {
  auto &block = *static_cast<Loop *>(memory);
  const auto &shareds = *static_cast<Shareds *>(block.head.shareds);
  const auto upper = static_cast<std::int64_t>(block.head.upper);
  for (auto i = static_cast<std::int64_t>(block.head.lower);
       block.head.stride > 0 ? i <= upper : i >= upper; i += block.head.stride) {
    if (tutti_task_asks() == TUTTI_ASKS_ACCESSES) {
      tutti_task_access(TUTTI_TASK_INOUT, &shareds.values[i], sizeof(std::int64_t));
    } else {
      shareds.values[i] = 2 * shareds.values[i] + 1;
    }
  }
  if (tutti_task_asks() == TUTTI_ASKS_NOTHING) {
    expect(block.text == "a text that is too long to lie inside of its object", "private copies");
    ++*shareds.chunks;
    *shareds.last += block.head.isLast;
  }
  return 0;
}

std::int32_t loopDestroy(std::int32_t, void *memory) {
  std::destroy_at(&static_cast<Loop *>(memory)->text);
  return 0;
}

void loopDuplicate(tutti_task_block *copy, tutti_task_block *block, std::int32_t isLast) {
  expect(copy->isLast == isLast, "which is the last one");
  // What the bytes say belongs to the other one.
  new (&reinterpret_cast<Loop *>(copy)->text) std::string(reinterpret_cast<Loop *>(block)->text);
}

void submitLoop(Shareds shareds, std::int64_t lower, std::int64_t upper, std::int64_t stride,
                std::int64_t grain, std::uint32_t traits) {
  auto *block = reinterpret_cast<Loop *>(tutti_task_create(
      TUTTI_TASK_TIED | TUTTI_TASK_DESTROYS, sizeof(Loop), sizeof(Shareds), loopEntry));
  std::memcpy(block->head.shareds, &shareds, sizeof shareds);
  block->head.destroy = loopDestroy;
  new (&block->text) std::string("a text that is too long to lie inside of its object");
  tutti_task_begin("by_hand.cpp:4", "loop", traits);
  if (grain > 0) {
    tutti_task_option(TUTTI_TASK_GRAINSIZE, grain);
  }
  block->head.lower = static_cast<std::uint64_t>(lower);
  block->head.upper = static_cast<std::uint64_t>(upper);
  tutti_task_submit_loop(&block->head, &block->head.lower, &block->head.upper, stride,
                         loopDuplicate);
}

struct Counts {
  int chunks;
  int last;
};

/// Runs one loop; how many chunks there were.
Counts run(std::vector<std::int64_t> &values, std::int64_t lower, std::int64_t upper,
           std::int64_t stride, std::int64_t grain, std::uint32_t traits = 0) {
  std::atomic<int> chunks{0};
  std::atomic<int> last{0};
  submitLoop({values.data(), &chunks, &last}, lower, upper, stride, grain, traits);
  wait();
  return {chunks, last};
}

void chunks() {
  std::vector<std::int64_t> values(100, 0);
  const Counts usual = run(values, 0, 99, 1, 0);
  expect(usual.chunks == static_cast<int>(std::min(100U, nanos6_get_num_cpus())) ||
             nanos6_get_num_cpus() > 50,
         "as many chunks as workers");
  expect(usual.last == 1, "one is the last");
  expect(std::count(values.begin(), values.end(), 1) == 100, "all iterations run once");
  expect(run(values, 0, 99, 1, 7).chunks == 14, "chunks of at least the grainsize");
  expect(run(values, 0, 99, 1, 1000).chunks == 1, "a grainsize beyond all iterations");
  expect(std::count(values.begin(), values.end(), 7) == 100, "all iterations run once more");
  expect(run(values, 99, 0, -3, 4).chunks == 8, "34 iterations downwards");
  expect(values[99] == 15 && values[98] == 7 && values[0] == 15, "those that the stride meets");
  expect(run(values, 0, -1, 1, 4).chunks == 0, "no iterations");
  expect(run(values, 0, 99, 1, 4, TUTTI_TASK_WHOLE).chunks == 1, "all iterations as one task");
}

void dependences() {
  constexpr int kRounds = 20;
  constexpr std::int64_t kSize = 1000;
  std::vector<std::int64_t> values(kSize, 0);
  std::atomic<int> chunks{0};
  std::atomic<int> last{0};
  std::int64_t expected = 0;
  for (int round = 0; round < kRounds; ++round) {
    submitLoop({values.data(), &chunks, &last}, 0, kSize - 1, 1, 50, TUTTI_TASK_ACCESSES);
    expected = 2 * expected + 1;
  }
  wait();
  expect(std::count(values.begin(), values.end(), expected) == kSize,
         "a chunk waits for those before that use its iterations' memory");
  expect(chunks == kRounds * 20 && last == kRounds, "chunks of each loop");
}

} // namespace

int main() {
  chunks();
  dependences();
  std::puts("passed");
}
