// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Two mock devices of one rank that give each other rows at the border of their parts: interiors
/// begin before these have been copied.
#include "runtime/device/mock/mock.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/chunk_run.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;
using namespace protocol;

namespace {

using device::mock::Entry;
using device::mock::KernelRun;
using device::mock::Operation;
using memory::kHeapBase;

constexpr std::uint64_t kUnit = 32 << 20;
constexpr Room kRoom{8 * kUnit, kUnit};
constexpr Place kFirst = 1;
constexpr Place kSecond = 2;

/// Rows so large that it is worth keeping a device from waiting for them.
constexpr std::int64_t kRows = 64;
constexpr std::uint64_t kRow = 3 << 19;
constexpr std::int64_t kWords = 16; ///< At the start of a row: those that anything is computed of.
constexpr std::uint64_t kWord = sizeof(std::uint64_t);

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({256 << 20, 1 << 20, {}, true});
  return *mapped;
}

/// Of plate 0 or 1.
std::uint64_t addressOf(std::uint64_t plate, std::int64_t row, std::int64_t word) {
  return kHeapBase + (plate * kRows + static_cast<std::uint64_t>(row)) * kRow +
         static_cast<std::uint64_t>(word) * kWord;
}

void add(tutti_sink &sink, std::uint32_t flags, std::uint64_t plate, std::int64_t lower,
         std::int64_t upper) {
  const tutti_dim rows{kRow, upper - lower};
  sink.add(flags, addressOf(plate, 0, 0), addressOf(plate, lower, 0), kRow, 1, &rows);
}

/// Every second of the words of rows.
void addColour(tutti_sink &sink, std::uint32_t flags, std::int64_t colour, std::int64_t lower,
               std::int64_t upper) {
  const std::array<tutti_dim, 2> dims{{{kRow, upper - lower}, {2 * kWord, kWords / 2}}};
  sink.add(flags, addressOf(0, 0, 0), addressOf(0, lower, colour), kWord, 2, dims.data());
}

/// Iteration i is row i + 1. The capture is the plate that is read; the other one is written.
void blurred(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
             std::int64_t upper, std::int64_t, tutti_sink *sink) {
  add(*sink, TUTTI_READ, captures[0], lower, upper + 2);
  add(*sink, TUTTI_WRITE, 1 - captures[0], lower + 1, upper + 1);
}

/// In plate 0. The capture is the colour that is written; the other plate is only read.
void relaxed(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
             std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const auto colour = static_cast<std::int64_t>(captures[0]);
  addColour(*sink, TUTTI_READ, 1 - colour, lower, upper + 2);
  addColour(*sink, TUTTI_WRITE, colour, lower + 1, upper + 1);
  add(*sink, TUTTI_READ, 1, lower + 1, upper + 1);
}

/// As rectangles around a triangle do, the one around the first device's part covers a row that
/// those around less of it do not.
void cornered(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
              std::int64_t upper, std::int64_t, tutti_sink *sink) {
  add(*sink, TUTTI_READ, 1 - captures[0], lower + 1, upper + 1);
  add(*sink, TUTTI_WRITE, 1 - captures[0], lower + 1, upper + 1);
  if (captures[0] == 0 && lower == 0 && upper == (kRows - 2) / 2) {
    add(*sink, TUTTI_READ, 0, kRows / 2 + 8, kRows / 2 + 9);
  }
}

/// All rows read the first one.
void spread(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
            std::int64_t upper, std::int64_t, tutti_sink *sink) {
  add(*sink, TUTTI_READ, captures[0], 0, 1);
  add(*sink, TUTTI_READ, captures[0], lower + 1, upper + 1);
  add(*sink, TUTTI_WRITE, 1 - captures[0], lower + 1, upper + 1);
}

/// Captures 0 and 1: as `blurred`. 2 and 3: the first row of a plate becomes the last but one.
void wrapped(const std::uint64_t *captures, const std::uint64_t *values, std::int64_t lower,
             std::int64_t upper, std::int64_t total, tutti_sink *sink) {
  if (captures[0] < 2) {
    blurred(captures, values, lower, upper, total, sink);
  } else if (lower == 0) {
    add(*sink, TUTTI_READ, captures[0] - 2, kRows - 2, kRows - 1);
    add(*sink, TUTTI_WRITE, captures[0] - 2, 0, 1);
  }
}

template <typename At>
void blur(std::uint64_t from, std::int64_t lower, std::int64_t upper, At &&at) {
  for (std::int64_t row = lower + 1; row < upper + 1; ++row) {
    for (std::int64_t word = 0; word < kWords; ++word) {
      at(1 - from, row, word) =
          at(from, row - 1, word) + 3 * at(from, row, word) + 5 * at(from, row + 1, word);
    }
  }
}

template <typename At>
void relax(std::uint64_t colour, std::int64_t lower, std::int64_t upper, At &&at) {
  for (std::int64_t row = lower + 1; row < upper + 1; ++row) {
    for (auto word = static_cast<std::int64_t>(colour); word < kWords; word += 2) {
      const std::int64_t beside = word ^ 1;
      at(0, row, word) = 3 * at(0, row - 1, beside) + 5 * at(0, row + 1, beside) + at(1, row, word);
    }
  }
}

/// A loop as the host's reference and the devices' kernels run it.
using Body =
    void (*)(std::uint64_t capture, std::int64_t lower, std::int64_t upper,
             const std::function<std::uint64_t &(std::uint64_t, std::int64_t, std::int64_t)> &at);

constexpr FlatCode kCode("loop");

class BordersTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<OpenDevice> devices;
    for (std::size_t index = 0; index < 2; ++index) {
      devices.push_back(
          {machine_.makeDriver()->open(index, segmentsOf(window())).value(), "mock", kRoom});
    }
    job_ = std::make_unique<Job>(JobSetup{
        *endpoint_, window(), memory::Topology({2}), {kRoom, kRoom}, std::move(devices), false});
    job_->start();
    region_.source = "test.c:1:1";
    region_.device = kCode.get();
    region_.captures = 1;
    for (std::uint64_t plate = 0; plate < 2; ++plate) {
      for (std::int64_t row = 0; row < kRows; ++row) {
        for (std::int64_t word = 0; word < kWords; ++word) {
          const std::uint64_t value = static_cast<std::uint64_t>(row * 100 + word) + plate;
          *reinterpret_cast<std::uint64_t *>(window().view(addressOf(plate, row, word))) = value;
          expected_[plate][row][word] = value;
        }
      }
    }
  }

  void TearDown() override { job_->progress.stop(); }

  void setBody(Body body) {
    body_ = body;
    machine_.setFunction("loop", [body](const KernelRun &run) {
      body(run.launch().arguments[0], run.launch().lower, run.launch().upper,
           [&](std::uint64_t plate, std::int64_t row, std::int64_t word) -> std::uint64_t & {
             return run.value<std::uint64_t>(addressOf(plate, row, word));
           });
    });
  }

  /// As rank 0 does, and what it comes to.
  void launch(Progress::Lock &lock, std::uint64_t capture,
              std::vector<Share> shares = {{kFirst, 1}, {kSecond, 1}}) TUTTI_IN_TURN {
    Launch launch;
    launch.region = &region_;
    launch.sequence = ++sequence_;
    launch.captures = {capture};
    launch.total = kRows - 2;
    launch.shares = std::move(shares);
    plan_ = job_->planner.plan(launch).plan;
    ASSERT_EQ(plan_->reasonHome, "");
    for (const DevicePart &part : plan_->devices) {
      ASSERT_TRUE(job_->devices.commit(part.device, part.touched));
    }
    job_->planner.commit(*plan_);
    job_->salvage.begins(launch, plan_);
    ChunkRun chunk(*job_, lock, launch, *plan_);
    chunk.run(false, false);
    chunk.finish();
    job_->acknowledgements.finish(launch.sequence);
    body_(capture, 0, kRows - 2,
          [this](std::uint64_t plate, std::int64_t row, std::int64_t word) -> std::uint64_t & {
            return expected_[plate][row][word];
          });
  }

  void waitForDevices(Progress::Lock &lock) TUTTI_IN_TURN {
    job_->progress.waitUntil(lock,
                             [this]() TUTTI_IN_TURN { return orDie(job_->devices.isIdle()); });
  }

  void expectResults(Progress::Lock &lock) TUTTI_IN_TURN {
    for (std::uint64_t plate = 0; plate < 2; ++plate) {
      const RangeSet all = RangeSet::of({{addressOf(plate, 0, 0), addressOf(plate, kRows, 0)}});
      std::vector<std::pair<Place, Range>> held;
      job_->planner.directory().forEach(all, [&](Range run, const memory::Holders &holders) {
        held.emplace_back(holders.front(), run);
      });
      for (const auto &[place, run] : held) {
        if (place != 0) {
          ASSERT_TRUE(job_->devices.copyOut(job_->topology.indexOf(place), RangeSet::of({run})));
        }
      }
      waitForDevices(lock);
      for (std::int64_t row = 0; row < kRows; ++row) {
        for (std::int64_t word = 0; word < kWords; ++word) {
          ASSERT_EQ(*reinterpret_cast<std::uint64_t *>(window().view(addressOf(plate, row, word))),
                    expected_[plate][row][word])
              << plate << " " << row << " " << word;
        }
      }
    }
  }

  /// Kernels (K), copies from another device (C) and waits (w) that a device was asked for, in
  /// order.
  std::string askedFor(std::size_t device) const {
    std::string text;
    for (const Entry &entry : machine_.log()) {
      if (entry.device == device && entry.operation == Operation::Launch) {
        text += 'K';
      } else if (entry.device == device && entry.operation == Operation::CopyFrom) {
        text += 'C';
      }
    }
    return text;
  }

  /// Whether a device was asked for a kernel before it was asked to wait.
  bool startsAtOnce(std::size_t device) const {
    const auto entry = std::ranges::find_if(machine_.log(), [&](const Entry &each) {
      return each.device == device &&
             (each.operation == Operation::Launch || each.operation == Operation::Wait);
    });
    return entry != machine_.log().end() && entry->operation == Operation::Launch;
  }

  device::mock::Machine machine_{{.devices = 2, .memory = 8 * kUnit, .delay = 3}};
  transport::mock::Network network_{1};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  tutti_region region_{};
  Sequence sequence_ = 0;
  Body body_ = nullptr;
  std::array<std::array<std::array<std::uint64_t, kWords>, kRows>, 2> expected_{};
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Job> job_;
};

TEST_F(BordersTest, StartsInteriorsBeforeCopiesOfBordersOnceALoopHasGoneRound) {
  region_.accesses = blurred;
  setBody([](auto from, auto lower, auto upper, const auto &at) { blur(from, lower, upper, at); });
  Progress::Lock lock = job_->progress.lock();

  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    machine_.clearLog();
    launch(lock, turn % 2);
    EXPECT_EQ(plan_->hasInteriors, turn >= 4) << turn;
  }

  EXPECT_EQ(askedFor(0), "KCK");
  EXPECT_EQ(askedFor(1), "KCK");
  EXPECT_EQ(plan_->devices[0].interior, (balance::Chunk{0, kRows / 2 - 2}));
  EXPECT_EQ(plan_->devices[1].interior, (balance::Chunk{kRows / 2, kRows - 2}));
  expectResults(lock);
}

TEST_F(BordersTest, KeepsWhatIsCopiedFromADeviceUntilItHasBeenCopied) {
  region_.accesses = relaxed;
  setBody(
      [](auto colour, auto lower, auto upper, const auto &at) { relax(colour, lower, upper, at); });
  Progress::Lock lock = job_->progress.lock();

  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    launch(lock, turn % 2);
  }

  ASSERT_FALSE(plan_->copies.empty());
  EXPECT_TRUE(plan_->copies[0].isOverwritten);
  EXPECT_TRUE(plan_->hasInteriors);
  expectResults(lock);
}

TEST_F(BordersTest, StartsAtOnceOnADeviceWhoseRowsAnotherOneReads) {
  region_.accesses = wrapped;
  setBody([](auto capture, auto lower, auto upper, const auto &at) {
    if (capture < 2) {
      blur(capture, lower, upper, at);
    }
    for (std::int64_t word = 0; word < kWords && capture >= 2 && lower == 0; ++word) {
      at(capture - 2, 0, word) = at(capture - 2, kRows - 2, word);
    }
  });
  Progress::Lock lock = job_->progress.lock();

  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    waitForDevices(lock); // As for a sum.
    launch(lock, 2 + turn % 2, {{kFirst, 1}});
    machine_.clearLog();
    launch(lock, turn % 2);
  }

  EXPECT_TRUE(plan_->hasInteriors);
  EXPECT_TRUE(startsAtOnce(1));
  expectResults(lock);
}

TEST_F(BordersTest, ComesBehindCopiesThatNoIterationTouches) {
  region_.accesses = cornered;
  setBody([](auto from, auto lower, auto upper, const auto &at) {
    for (std::int64_t row = lower + 1; row < upper + 1; ++row) {
      for (std::int64_t word = 0; word < kWords; ++word) {
        at(1 - from, row, word) += 1000 + row;
      }
    }
  });
  Progress::Lock lock = job_->progress.lock();

  for (std::uint64_t turn = 0; turn < 13; ++turn) {
    launch(lock, turn % 2);
  }

  expectResults(lock);
}

TEST_F(BordersTest, WaitsForCopiesWhereAllIterationsNeedThem) {
  region_.accesses = spread;
  setBody([](auto from, auto lower, auto upper, const auto &at) {
    for (std::int64_t row = lower + 1; row < upper + 1; ++row) {
      for (std::int64_t word = 0; word < kWords; ++word) {
        at(1 - from, row, word) = at(from, 0, word) + at(from, row, word);
      }
    }
  });
  Progress::Lock lock = job_->progress.lock();

  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    launch(lock, turn % 2);
    EXPECT_FALSE(plan_->hasInteriors);
  }

  expectResults(lock);
}

} // namespace

} // namespace tutti::model::forkjoin
