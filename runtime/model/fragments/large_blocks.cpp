// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/large_blocks.h"

#include "base/guarded.h"

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

namespace {

struct Blocks {
  std::map<std::size_t, std::vector<void *>> kept; ///< By size.
  std::size_t keptBytes = 0;
  std::size_t usedBytes = 0;
  std::uint64_t ofSystem = 0;
};

/// Never destroyed: values of a program's own variables may be given back at its very end.
Guarded<Blocks> &blocks() {
  static auto *all = new Guarded<Blocks>;
  return *all;
}

} // namespace

void *takeLargeBlock(std::size_t bytes) {
  {
    auto all = blocks().lock();
    all->usedBytes += bytes;
    if (const auto found = all->kept.find(bytes); found != all->kept.end()) {
      void *block = found->second.back();
      found->second.pop_back();
      if (found->second.empty()) {
        all->kept.erase(found);
      }
      all->keptBytes -= bytes;
      return block;
    }
    ++all->ofSystem;
  }
  void *block = std::malloc(bytes);
  if (!block) {
    // What is kept may be what lacks.
    std::map<std::size_t, std::vector<void *>> kept;
    {
      auto all = blocks().lock();
      kept = std::exchange(all->kept, {});
      all->keptBytes = 0;
    }
    for (const auto &[size, each] : kept) {
      for (void *one : each) {
        std::free(one);
      }
    }
    block = std::malloc(bytes);
  }
  if (!block) {
    blocks().lock()->usedBytes -= bytes;
  }
  return block;
}

void giveLargeBlock(void *block, std::size_t bytes) {
  {
    auto all = blocks().lock();
    all->usedBytes -= bytes;
    if (all->keptBytes + bytes <= all->usedBytes) {
      all->kept[bytes].push_back(block);
      all->keptBytes += bytes;
      return;
    }
  }
  std::free(block);
}

std::uint64_t largeBlocksOfSystem() { return blocks().lock()->ofSystem; }

} // namespace tutti::model::fragments
