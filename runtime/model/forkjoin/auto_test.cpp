// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whole programs in simulation: what nobody says where to run it takes little more time than the
/// best that could be said. The decisions, plans and the directory are the runtime's; time is that
/// of a machine with one GPU, or of some ranks without, whose loops take what arithmetic and memory
/// let them.
#include "base/test_share.h"
#include "runtime/exec/test/flat_code.h"
#include "runtime/model/forkjoin/decider.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using namespace exec;

namespace {

constexpr FlatCode kCode("step");
constexpr std::uint64_t kHeapBytes = std::uint64_t{1} << 30;
constexpr Room kRoom{std::uint64_t{64} << 30, 2 << 20};
constexpr Place kHost = 0;

/// What the machine does. Units: seconds, bytes and operations per second.
constexpr double kLaunch = 10e-6; ///< Of a kernel,
constexpr double kFork = 5e-6;    ///< of a loop on cores,
constexpr double kCopy = 10e-6;   ///< of a copy, however short,
constexpr double kGiving = 3e-6;  ///< of a kernel that nobody waits for, to who starts it,
constexpr double kKernel = 2e-6;  ///< and to the device,
constexpr double kLink = 20e9;
constexpr double kTouching = 4e9; ///< To what sequential code touches, page after page.
constexpr double kCore = 4e9;
constexpr double kCoreMemory = 10e9;
constexpr double kHostMemory = 80e9;
constexpr double kGpuMemory = 1000e9;
constexpr double kWeather = 20e-3;
constexpr double kMessage = 3e-6; ///< From rank to rank,
constexpr double kNetwork = 2e9;  ///< and the bytes that follow it.

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({kHeapBytes, 1 << 20, {}, false});
  return *mapped;
}

/// Of what loops run on, in cores.
struct Speeds {
  double cores; ///< Of each rank.
  double gpu;
  std::int32_t ranks = 1; ///< Without GPU, if more.
};

struct Array {
  std::uint64_t begin;
  std::uint64_t rows;
  std::uint64_t row; ///< Bytes.
};

/// What a loop does to an array: each iteration to its row and `halo` others on both sides, or all
/// iterations to all of it.
struct Use {
  const Array *array;
  std::uint32_t how;
  std::uint64_t halo = 0;
  bool isWhole = false;
  bool hasGaps = false; ///< Nothing is done to the last element of each row.
};

struct Loop {
  Loop(std::vector<Use> uses, double operations, double bytes)
      : uses(std::move(uses)), operations(operations), bytes(bytes) {}

  std::vector<Use> uses;
  double operations; ///< Of all iterations.
  double bytes;      ///< That they read or write in memory.
  std::int64_t iterations = 0;
  tutti_directive directive{};
  tutti_region region{};
  LoopHistory history;
  double crossed = 0;
  std::vector<Share> latest; ///< Where it ran, without weights.
};

void accessesOf(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                std::int64_t upper, std::int64_t, tutti_sink *sink) {
  for (const Use &use : reinterpret_cast<const Loop *>(captures[0])->uses) {
    const auto first = static_cast<std::uint64_t>(lower);
    const auto last = static_cast<std::uint64_t>(upper);
    const std::uint64_t from = use.isWhole || first < use.halo ? 0 : first - use.halo;
    const std::uint64_t to =
        use.isWhole ? use.array->rows : std::min(use.array->rows, last + use.halo);
    const auto row = static_cast<std::int64_t>(use.array->row);
    const tutti_dim dim{row, static_cast<std::int64_t>(to - from)};
    sink->add(use.how, use.array->begin, use.array->begin + from * use.array->row,
              use.array->row - (use.hasGaps ? 8 : 0), 1, &dim);
  }
}

/// One rank with a GPU, or several without.
class Machine {
public:
  /// `fixed`: where loops run, in the order in which they are made; others where the runtime wants.
  Machine(const Speeds &speeds, std::vector<std::uint32_t> fixed,
          Distribute policy = Distribute::Auto)
      : speeds_(speeds), fixed_(std::move(fixed)),
        decider_(engine_, {std::vector<DeviceTraits>(gpus(), {TUTTI_KERNEL_OPENCL_C,
                                                              TUTTI_DEVICE_CUDA, 1, 1, 132, kRoom}),
                           TUTTI_DEVICE_AUTO, policy, true}) {
    decider_.setLatency(kMessage);
  }

  const Array &array(std::uint64_t rows, std::uint64_t row) {
    const std::uint64_t begin = memory::kHeapBase + used_;
    used_ += memory::pagesAround({0, rows * row}).end;
    return arrays_.emplace_back(begin, rows, row);
  }

  /// The last two: as in `Loop`.
  Loop &loop(std::uint64_t iterations, std::vector<Use> uses, double operations, double bytes) {
    Loop &loop = loops_.emplace_back(std::move(uses), operations, bytes);
    if (loops_.size() <= fixed_.size()) {
      loop.directive.device = fixed_[loops_.size() - 1];
    }
    loop.iterations = static_cast<std::int64_t>(iterations);
    loop.region.source = "test.c:1:1";
    loop.region.flags = TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP;
    loop.region.accesses = accessesOf;
    loop.region.device = kCode.get();
    loop.region.captures = 1;
    loop.region.directive = &loop.directive;
    return loop;
  }

  /// As `RankZero::distribute` does.
  void launch(Loop &loop) {
    Launch launch;
    launch.region = &loop.region;
    launch.total = loop.iterations;
    launch.captures = {reinterpret_cast<std::uint64_t>(&loop)};
    launch.sequence = ++sequence_;
    if (decider_.asksForTime(loop.history, loop.region, launch.total)) {
      waitForDevice();
      decider_.tellTime(now_);
    }
    Candidate &candidate = decider_.candidateFor(loop.history, loop.region, launch.total);
    const bool stays = decider_.policy() == Distribute::Never ||
                       !decider_.reasonToStay(loop.history, candidate, launch).empty();
    const bool isMeasured = !stays && decider_.isToBeMeasured(loop.history, candidate);
    const Progress::Lock lock = engine_.progress.lock();
    Decision decision;
    if (!stays) {
      decision = decide(loop, launch, candidate);
    }
    if (decision.sample > 0) {
      const double seconds = kFork + onCores(loop) * static_cast<double>(decision.sample) /
                                         static_cast<double>(launch.total);
      now_ += seconds;
      decider_.noteSample(loop.history, decision.sample, seconds);
      launch.first = decision.sample;
      decision = decide(loop, launch, candidate);
    }
    const bool isHome = stays || !decision.reasonHome.empty();
    std::vector<Share> shares = isHome ? std::vector<Share>() : launch.shares;
    for (Share &share : shares) {
      share.weight = 0;
    }
    moves_ += loop.latest != shares ? 1 : 0;
    loop.latest = std::move(shares);
    if (isHome) {
      runHome(loop, launch);
    } else {
      distribute(loop, launch, decision.planned, isMeasured);
    }
  }

  /// Sequential code, which takes `seconds`, does something to all of an array.
  void touch(const Array &array, std::uint32_t how, double seconds = 0) {
    const Progress::Lock lock = engine_.progress.lock();
    fetch({array.begin, array.begin + array.rows * array.row}, how);
    now_ += seconds;
  }

  /// When all is done that has been begun.
  double now() const { return std::max(now_, device_); }

  void setSeed(unsigned seed) { random_.seed(seed); }

  /// Parts take so much more or less, as a fraction.
  void setJitter(double jitter) {
    jitter_ = std::uniform_real_distribution(1 - jitter, 1 + jitter);
  }

  /// Nobody waits for a kernel whose end nobody asks for.
  void setAhead() { isAhead_ = true; }

  /// For a while all takes up to so many times as long, then something else.
  void setWeather(double most) { weather_ = std::uniform_real_distribution(1.0, most); }

  /// Launches on cores that were idle take so much longer at first. Units: seconds.
  void setWaking(double seconds) { waking_ = seconds; }

  /// Units: bytes per second.
  void setTouching(double bandwidth) { touching_ = bandwidth; }

  /// The first launch at home takes so much longer, to start threads. Units: seconds.
  void setStarting(double seconds) { starting_ = seconds; }

  /// What making a plan takes. Units: seconds.
  void setPlanning(double seconds) { planning_ = seconds; }

  /// How often a loop has run elsewhere than the time before.
  int moves() const { return moves_; }

  std::size_t loops() const { return loops_.size(); }

private:
  std::size_t gpus() const { return speeds_.ranks > 1 ? 0 : 1; }

  /// What planning takes where the test runs is no part of what is simulated.
  Decision decide(Loop &loop, Launch &launch, Candidate &candidate) TUTTI_IN_TURN {
    if (const auto onDevices = decider_.planOnDevices(loop.history, launch)) {
      Plan plan = *onDevices->plan;
      plan.secondsToMake = planning_;
      decider_.notePlanOnDevices(loop.history, launch, plan);
      now_ += planning_; // It is known below.
    }
    Decision decision = decider_.decide(loop.history, launch, candidate, residency_);
    candidate.history->planning = {};
    return decision;
  }

  double jitter() {
    if (now_ >= changes_) {
      slower_ = weather_(random_);
      changes_ = now_ + kWeather;
    }
    return slower_ * jitter_(random_);
  }

  /// What waking the cores adds to a launch that uses them, or not.
  double waking(bool usesCores) {
    constexpr int kAwake = 16; // Launches, until they stay so.
    awake_ = usesCores ? awake_ + 1 : 0;
    return usesCores && awake_ <= kAwake ? waking_ : 0;
  }

  void waitForDevice() { now_ = std::max(now_, device_); }

  double onCores(const Loop &loop) {
    return jitter() * std::max(loop.operations / (speeds_.cores * kCore),
                               loop.bytes / std::min(kHostMemory, speeds_.cores * kCoreMemory));
  }

  double onGpu(const Loop &loop) {
    return jitter() * std::max(loop.operations / (speeds_.gpu * kCore), loop.bytes / kGpuMemory);
  }

  void runHome(Loop &loop, const Launch &launch) TUTTI_IN_TURN {
    const double begin = now_;
    for (const Use &use : loop.uses) {
      fetch({use.array->begin, use.array->begin + use.array->rows * use.array->row}, use.how);
    }
    const std::int64_t rest = launch.total - launch.first;
    now_ += kFork + onCores(loop) * static_cast<double>(rest) / static_cast<double>(launch.total) +
            std::exchange(starting_, 0) + waking(true);
    decider_.noteHome(loop.history, rest, now_ - begin);
  }

  void fetch(Range range, std::uint32_t how) TUTTI_IN_TURN {
    std::uint64_t bytes = 0;
    engine_.planner.directory().forEach(range, [&](Range run, const memory::Holders &holders) {
      bytes += memory::holds(holders, kHost) ? 0 : run.end - run.begin;
      return true;
    });
    const auto kind =
        (how & TUTTI_WRITE) != 0 ? memory::Event::Kind::Claimed : memory::Event::Kind::Fetched;
    const std::array<memory::Event, 1> event{{{kind, range}}};
    engine_.planner.apply(event);
    cross(bytes, speeds_.ranks > 1 ? kNetwork : touching_);
  }

  void cross(std::uint64_t bytes, double bandwidth) {
    const double start = speeds_.ranks > 1 ? kMessage : kCopy;
    if (bytes > 0) {
      waitForDevice();
    }
    now_ += bytes == 0 ? 0 : start + static_cast<double>(bytes) / bandwidth;
    moved_ += static_cast<double>(bytes);
  }

  void distribute(Loop &loop, const Launch &launch, const Planner::Planned &planned,
                  bool isMeasured) TUTTI_IN_TURN {
    noteCrossing(loop, launch);
    if (isMeasured) {
      waitForDevice();
    }
    const double begin = now_;
    now_ += planned.isKnown ? 0 : planning_;
    const bool isTimed = launch.first == 0 && decider_.isToBeTimed(loop.history, launch, planned);
    if (isTimed) {
      decider_.beginsTimed(loop.history, launch, *planned.plan);
    }
    engine_.planner.commit(*planned.plan);
    notePlan(loop, planned);
    loop.history.rope.planning = 0;
    cross(planned.plan->bytesToDistribute, speeds_.ranks > 1 ? kNetwork : kLink);
    protocol::LaunchTimes times{launch.sequence, {}};
    const std::vector<balance::Chunk> chunks = chunksOf(launch);
    double longest = 0;
    for (std::size_t part = 0; part < chunks.size(); ++part) {
      const double share = static_cast<double>(chunks[part].upper - chunks[part].lower) /
                           static_cast<double>(launch.total);
      const Place place = launch.shares[part].place;
      const bool isHost = engine_.topology.isHost(place);
      const double seconds =
          share * (isHost ? onCores(loop) : onGpu(loop)) + (isHost ? 0 : kLaunch);
      longest = std::max(longest, seconds);
      times.places.push_back({place, seconds});
    }
    const bool isOnDevices = std::ranges::none_of(
        launch.shares, [&](const Share &share) { return engine_.topology.isHost(share.place); });
    longest += waking(!isOnDevices);
    if (isAhead_ && isOnDevices && !isMeasured) {
      now_ += kGiving;
      device_ = std::max(device_, now_) + kKernel + longest - kLaunch;
    } else {
      waitForDevice();
      now_ += kFork + longest + (speeds_.ranks > 1 ? kMessage : 0);
    }
    if (isMeasured && launch.first == 0) {
      decider_.noteDistributed(loop.history, launch, now_ - begin,
                               static_cast<double>(planned.plan->bytesToDistribute), 0);
      loop.history.rope.seconds += now_ - begin;
    }
    if (isTimed) {
      decider_.learn(times);
    }
  }

  /// What planning takes where the test runs is no part of what is simulated.
  void notePlan(Loop &loop, const Planner::Planned &planned) {
    const auto plan = std::make_shared<Plan>(*planned.plan);
    plan->secondsToMake = planning_;
    decider_.notePlan(loop.history, {plan, planned.isKnown});
  }

  void noteCrossing(Loop &loop, const Launch &launch) {
    if (latest_) {
      latest_->crossed += moved_;
    }
    moved_ = 0;
    if (!loop.history.candidate.placement.usesDevices) {
      return;
    }
    latest_ = &loop;
    const double because = std::exchange(loop.crossed, 0);
    if (decider_.asksForCrossing(loop.history, loop.region) &&
        decider_.noteCrossing(loop.history, because)) {
      decider_.noteRounds(loop.history, launch.total, now_);
    }
  }

  Speeds speeds_;
  std::vector<std::uint32_t> fixed_;
  std::deque<Array> arrays_;
  std::deque<Loop> loops_;
  transport::mock::Network network_{speeds_.ranks};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  Engine engine_{
      EngineSetup{*endpoint_,
                  window(),
                  memory::Topology(std::vector<std::int32_t>(
                      static_cast<std::size_t>(speeds_.ranks), static_cast<std::int32_t>(gpus()))),
                  std::vector<Room>(gpus(), kRoom),
                  {},
                  false,
                  true}};
  Residency residency_{engine_.topology, engine_.rooms};
  Decider decider_;
  std::uint64_t used_ = 0;
  Sequence sequence_ = 0;
  Loop *latest_ = nullptr;
  double moved_ = 0;
  std::mt19937 random_{1};
  std::uniform_real_distribution<double> jitter_{1, 1};
  std::uniform_real_distribution<double> weather_{1, 1};
  double slower_ = 1;
  double changes_ = 0; ///< When that does.
  int moves_ = 0;
  double touching_ = kTouching;
  double starting_ = 0;
  double planning_ = 0;
  double waking_ = 0;
  int awake_ = 0; ///< Launches since the cores were idle.
  bool isAhead_ = false;
  double device_ = 0; ///< When it has done what it was given.
  double now_ = 1;
};

/// What one step of a program does on a machine.
using Step = std::function<void()>;
using Program = Step (*)(Machine &machine, std::uint64_t size);

Step product(Machine &machine, std::uint64_t n) {
  const Array &left = machine.array(n, 4 * n);
  const Array &right = machine.array(n, 4 * n);
  const Array &result = machine.array(n, 4 * n);
  const auto size = static_cast<double>(n);
  Loop &loop =
      machine.loop(n, {{&left, TUTTI_READ}, {&right, TUTTI_READ, 0, true}, {&result, TUTTI_WRITE}},
                   2 * size * size * size, 12 * size * size);
  return [&] { machine.launch(loop); };
}

Step jacobi(Machine &machine, std::uint64_t n) {
  const Array &one = machine.array(n, 4 * n);
  const Array &other = machine.array(n, 4 * n);
  const auto points = static_cast<double>(n * n);
  Loop &there =
      machine.loop(n, {{&one, TUTTI_READ, 1}, {&other, TUTTI_WRITE}}, 4 * points, 8 * points);
  Loop &back =
      machine.loop(n, {{&other, TUTTI_READ, 1}, {&one, TUTTI_WRITE}}, 4 * points, 8 * points);
  return [&] {
    machine.launch(there);
    machine.launch(back);
  };
}

Loop &sweepOver(Machine &machine, const Array &grid) {
  const double points = static_cast<double>(grid.rows * grid.row) / 8;
  return machine.loop(grid.rows, {{&grid, TUTTI_READ, 1}, {&grid, TUTTI_READ | TUTTI_WRITE}},
                      4 * points, 12 * points);
}

Step relaxation(Machine &machine, std::uint64_t n) {
  Loop &sweep = sweepOver(machine, machine.array(n, 8 * n));
  return [&] {
    machine.launch(sweep);
    machine.launch(sweep);
  };
}

struct Bodies {
  const Array &places;
  const Array &speeds;
};

Loop &gravityOf(Machine &machine, const Bodies &bodies) {
  const auto count = static_cast<double>(bodies.places.rows);
  return machine.loop(
      bodies.places.rows,
      {{&bodies.places, TUTTI_READ, 0, true}, {&bodies.speeds, TUTTI_READ | TUTTI_WRITE}},
      20 * count * count, 40 * count);
}

Step gravity(Machine &machine, std::uint64_t n) {
  const Bodies bodies{machine.array(n, 16), machine.array(n, 12)};
  const auto count = static_cast<double>(n);
  Loop &attract = gravityOf(machine, bodies);
  Loop &advance =
      machine.loop(n, {{&bodies.places, TUTTI_READ | TUTTI_WRITE}, {&bodies.speeds, TUTTI_READ}},
                   6 * count, 44 * count);
  return [&] {
    machine.launch(attract);
    machine.launch(advance);
  };
}

/// Sequential code sums up which centre each point belongs to.
Step clusters(Machine &machine, std::uint64_t n) {
  const Array &points = machine.array(n, 32);
  const Array &owners = machine.array(n, 4);
  const Array &centres = machine.array(1, 512);
  const auto count = static_cast<double>(n);
  Loop &assign = machine.loop(
      n, {{&points, TUTTI_READ}, {&centres, TUTTI_READ, 0, true}, {&owners, TUTTI_WRITE}},
      400 * count, 36 * count);
  return [&, count] {
    machine.launch(assign);
    machine.touch(owners, TUTTI_READ, 1e-9 * count);
    machine.touch(centres, TUTTI_WRITE);
  };
}

/// The same in one loop, with sums: nothing comes home.
Step grouping(Machine &machine, std::uint64_t n) {
  const Array &points = machine.array(n, 32);
  const auto count = static_cast<double>(n);
  Loop &assign = machine.loop(n, {{&points, TUTTI_READ}}, 400 * count, 32 * count);
  return [&] { machine.launch(assign); };
}

Step triad(Machine &machine, std::uint64_t n) {
  const Array &a = machine.array(n, 8);
  const Array &b = machine.array(n, 8);
  const Array &c = machine.array(n, 8);
  const auto count = static_cast<double>(n);
  Loop &loop = machine.loop(n, {{&a, TUTTI_WRITE}, {&b, TUTTI_READ}, {&c, TUTTI_READ}}, 2 * count,
                            24 * count);
  return [&] { machine.launch(loop); };
}

/// Loops that take about the same time, but not quite, each over what others write.
Step streams(Machine &machine, std::uint64_t n) {
  const Array &a = machine.array(n, 8);
  const Array &b = machine.array(n, 8);
  const Array &c = machine.array(n, 8);
  const auto count = static_cast<double>(n);
  const std::array<Loop *, 4> loops{
      &machine.loop(n, {{&a, TUTTI_READ}, {&c, TUTTI_WRITE}}, 0, 16 * count),
      &machine.loop(n, {{&c, TUTTI_READ}, {&b, TUTTI_WRITE}}, count, 16 * count),
      &machine.loop(n, {{&a, TUTTI_READ}, {&b, TUTTI_READ}, {&c, TUTTI_WRITE}}, count, 24 * count),
      &machine.loop(n, {{&b, TUTTI_READ}, {&c, TUTTI_READ}, {&a, TUTTI_WRITE}}, 2 * count,
                    24 * count)};
  return [&machine, loops] {
    for (Loop *loop : loops) {
      machine.launch(*loop);
    }
  };
}

/// HyCOMP 5.4: bodies, and a grid that is relaxed four times and then looked at.
Step twoRegions(Machine &machine, std::uint64_t n) {
  const Bodies bodies{machine.array(5 * n, 16), machine.array(5 * n, 12)};
  const Array &grid = machine.array(n, 8 * n);
  Loop &attract = gravityOf(machine, bodies);
  Loop &sweep = sweepOver(machine, grid);
  const auto points = static_cast<double>(n * n);
  return [&machine, &attract, &sweep, &grid, bodies, points] {
    machine.launch(attract);
    machine.touch(bodies.speeds, TUTTI_READ);
    machine.touch(bodies.places, TUTTI_READ | TUTTI_WRITE);
    for (int each = 0; each < 4; ++each) {
      machine.launch(sweep);
    }
    machine.touch(grid, TUTTI_READ, 0.3e-9 * points);
  };
}

/// Of so many steps from the beginning of a program.
double secondsOf(Program program, std::uint64_t size, const Speeds &speeds,
                 const std::vector<std::uint32_t> &fixed, int steps,
                 Distribute policy = Distribute::Auto) {
  Machine machine(speeds, fixed, policy);
  const Step step = program(machine, size);
  const double begin = machine.now();
  for (int each = 0; each < steps; ++each) {
    step();
  }
  return machine.now() - begin;
}

/// The same with the best place for each loop.
double leastSecondsOf(Program program, std::uint64_t size, const Speeds &speeds, int steps) {
  Machine machine(speeds, {});
  program(machine, size);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t choice = 0; choice < std::size_t{1} << machine.loops(); ++choice) {
    std::vector<std::uint32_t> fixed;
    for (std::size_t loop = 0; loop < machine.loops(); ++loop) {
      fixed.push_back((choice >> loop) % 2 == 0 ? TUTTI_DEVICE_CPU : TUTTI_DEVICE_GPU);
    }
    least = std::min(least, secondsOf(program, size, speeds, fixed, steps));
  }
  return least;
}

/// Sequential code writes what a loop reads, before each launch.
Step produced(Machine &machine, std::uint64_t n) {
  const Array &in = machine.array(n, 8);
  const Array &out = machine.array(n, 8);
  const auto count = static_cast<double>(n);
  Loop &loop = machine.loop(n, {{&in, TUTTI_READ}, {&out, TUTTI_WRITE}}, 200 * count, 16 * count);
  return [&machine, &in, &loop, count] {
    machine.touch(in, TUTTI_READ | TUTTI_WRITE, 1e-9 * count);
    machine.launch(loop);
  };
}

/// A loop is launched for a few iterations and for all, in turn.
Step alternating(Machine &machine, std::uint64_t n) {
  const Array &in = machine.array(n, 8);
  const Array &out = machine.array(n, 8);
  const auto count = static_cast<double>(n);
  Loop &loop = machine.loop(n, {{&in, TUTTI_READ}, {&out, TUTTI_WRITE}}, 200 * count, 16 * count);
  return [&machine, &loop, n, count] {
    for (const std::uint64_t part : {64, 1}) {
      loop.iterations = static_cast<std::int64_t>(n / part);
      loop.operations = 200 * count / static_cast<double>(part);
      loop.bytes = 16 * count / static_cast<double>(part);
      machine.launch(loop);
    }
  };
}

/// Rows below a pivot are reduced by it, one fewer at each launch; sequential code fills the matrix
/// anew before each pass.
Step elimination(Machine &machine, std::uint64_t n) {
  const Array &matrix = machine.array(n, 8 * n);

  struct Parts {
    Array pivot;
    Array rest;
  };

  const auto parts = std::make_shared<Parts>(Parts{matrix, matrix});
  Loop &loop = machine.loop(
      n, {{&parts->pivot, TUTTI_READ, 0, true}, {&parts->rest, TUTTI_READ | TUTTI_WRITE}}, 0, 0);
  return [&machine, &matrix, &loop, parts, n] {
    machine.touch(matrix, TUTTI_WRITE);
    for (std::uint64_t pivot = 0; pivot + 1 < n; ++pivot) {
      const std::uint64_t left = n - pivot - 1;
      parts->pivot = {matrix.begin + pivot * matrix.row, 1, matrix.row};
      parts->rest = {parts->pivot.begin + matrix.row, left, matrix.row};
      const auto points = static_cast<double>(left * (left + 1));
      loop.iterations = static_cast<std::int64_t>(left);
      loop.operations = 2 * points;
      loop.bytes = 16 * points;
      machine.launch(loop);
    }
  };
}

/// Launches of any length up to one, as blocks of a sparse matrix.
Step blocks(Machine &machine, std::uint64_t n) {
  const Array &in = machine.array(n, 8);
  const Array &out = machine.array(n, 8);
  const auto count = static_cast<double>(n);
  Loop &loop = machine.loop(n, {{&in, TUTTI_READ}, {&out, TUTTI_WRITE}}, 0, 0);
  const auto random = std::make_shared<std::mt19937>(1);
  return [&machine, &loop, count, random] {
    const double part = std::uniform_real_distribution(0.05, 1.0)(*random);
    loop.iterations = static_cast<std::int64_t>(part * count);
    loop.operations = 200 * part * count;
    loop.bytes = 16 * part * count;
    machine.launch(loop);
  };
}

struct Case {
  const char *name;
  Program program;
  std::vector<std::uint64_t> sizes;
};

const std::vector<Case> &cases() {
  static const std::vector<Case> all{{"product", product, {64, 512, 2048}},
                                     {"jacobi", jacobi, {128, 1024, 4096}},
                                     {"relaxation", relaxation, {128, 1024, 4096}},
                                     {"gravity", gravity, {500, 4000, 32000}},
                                     {"clusters", clusters, {20000, 200000, 2000000}},
                                     {"triad", triad, {10000, 1000000, 30000000}},
                                     {"two regions", twoRegions, {1000, 2000, 4000}},
                                     {"produced", produced, {10000, 1000000, 10000000}},
                                     {"alternating", alternating, {10000, 1000000, 10000000}},
                                     {"blocks", blocks, {10000, 1000000}}};
  return all;
}

/// What two programs may differ by in any case: it takes as long to find out which is better.
/// Units: seconds.
constexpr double kUnnoticed = 4e-3;

/// The GPU is 64, 4 and 256 times as fast as all cores together.
constexpr std::array<Speeds, 3> kSpeeds{{{1, 64}, {16, 64}, {16, 4096}}};

/// The first of `all`, fewer where code is not optimised.
template <typename All> auto someOf(const All &all) {
  return std::span(all).first(std::min<std::size_t>(std::size(all), casesOf(std::size(all))));
}

TEST(Auto, TakesLittleMoreThanTheBestChoiceInAShortRun) {
  constexpr int kSteps = 60;
  for (const Speeds &speeds : someOf(kSpeeds)) {
    for (const Case &each : cases()) {
      for (const std::uint64_t size : someOf(each.sizes)) {
        const double best = leastSecondsOf(each.program, size, speeds, kSteps);
        const double mine = secondsOf(each.program, size, speeds, {}, kSteps);
        EXPECT_LE(mine, 1.25 * best + kUnnoticed)
            << each.name << ' ' << size << ", " << speeds.cores << " cores";
      }
    }
  }
}

/// Of the second half of so many steps, when it is known what loops take.
double secondsOfSecondHalf(const Case &each, std::uint64_t size, const Speeds &speeds,
                           const std::vector<std::uint32_t> &fixed, int steps) {
  return secondsOf(each.program, size, speeds, fixed, steps) -
         secondsOf(each.program, size, speeds, fixed, steps / 2);
}

/// Small loops take up to twice as long on these GPUs.
TEST(Auto, IsNoMoreThanATwentiethSlowerThanCoresOnceItKnows) {
  constexpr int kSteps = 1200;
  for (const Speeds &speeds : someOf(kSpeeds)) {
    for (const Case &each : cases()) {
      for (const std::uint64_t size : someOf(each.sizes)) {
        Machine machine(speeds, {});
        each.program(machine, size);
        const std::vector<std::uint32_t> onCores(machine.loops(), TUTTI_DEVICE_CPU);
        EXPECT_LE(secondsOfSecondHalf(each, size, speeds, {}, kSteps),
                  1.05 * secondsOfSecondHalf(each, size, speeds, onCores, kSteps))
            << each.name << ' ' << size << ", " << speeds.cores << " cores";
      }
    }
  }
}

/// Beside a GPU cores are of little use here, and trying them must not cost more than that.
TEST(Auto, LosesLittleToTheGpuWhereCoresAreBesideIt) {
  constexpr int kFew = 100;
  constexpr double kLong = 1; // Units: seconds.
  constexpr double kFirstTrial = 10e-3;
  const auto secondsOfSteps = [](const Case &each, std::uint64_t size, std::uint32_t kind,
                                 int steps) {
    Machine machine({16, 4096}, std::vector<std::uint32_t>(8, kind));
    machine.setAhead();
    machine.setWaking(50e-6);
    const Step step = each.program(machine, size);
    const double begin = machine.now();
    for (int done = 0; done < steps; ++done) {
      step();
    }
    return machine.now() - begin;
  };
  const std::size_t count = std::min<std::size_t>(cases().size(), casesOf(cases().size()));
  for (const Case &each : std::span(cases()).first(count)) {
    for (const std::uint64_t size : each.sizes) {
      const auto took = [&](std::uint32_t kind, int steps) {
        return secondsOfSteps(each, size, kind, steps);
      };
      const double some = took(TUTTI_DEVICE_GPU, 2 * kFew) - took(TUTTI_DEVICE_GPU, kFew);
      const int steps = static_cast<int>(std::min(60000.0, kLong * kFew / some));
      const double onGpu = took(TUTTI_DEVICE_GPU, steps);
      EXPECT_LE(took(TUTTI_DEVICE_HYBRID, steps), 1.02 * onGpu + kFirstTrial)
          << each.name << ' ' << size;
    }
  }
}

/// Rows are relaxed but for their borders, so a plan lists each of them.
TEST(Auto, LosesLittleToTheGpuWherePlansTakeLong) {
  constexpr std::uint64_t kRows = 2048;
  const auto secondsOn = [](std::uint32_t kind, int steps) {
    Machine machine({16, 4096}, {kind});
    machine.setAhead();
    machine.setPlanning(7e-3);
    const Array &grid = machine.array(kRows, 8 * kRows);
    const double points = static_cast<double>(kRows * kRows);
    Loop &sweep = machine.loop(
        kRows, {{&grid, TUTTI_READ, 1}, {&grid, TUTTI_READ | TUTTI_WRITE, 0, false, true}},
        4 * points, 12 * points);
    const double begin = machine.now();
    for (int done = 0; done < steps; ++done) {
      machine.launch(sweep);
    }
    return machine.now() - begin;
  };
  for (const int steps : {4000, 40000}) { // Two trials of different ways are over in the latter.
    EXPECT_LE(secondsOn(TUTTI_DEVICE_HYBRID, steps),
              1.02 * secondsOn(TUTTI_DEVICE_GPU, steps) + 20e-3)
        << steps;
  }
  constexpr int kFew = 100; // Over before any other way is worth its plans: none is made.
  EXPECT_LE(secondsOn(TUTTI_DEVICE_HYBRID, kFew), secondsOn(TUTTI_DEVICE_GPU, kFew) + 3e-3);
}

TEST(Auto, TriesHostsLaterWhereMuchHasToComeHomeForIt) {
  constexpr std::uint64_t kPoints = 2048;
  constexpr int kSteps = 15000;
  const auto secondsOn = [](std::uint32_t kind) {
    Machine machine({16, 4096}, std::vector<std::uint32_t>(2, kind));
    machine.setAhead();
    machine.setTouching(0.3e9);
    const Step step = jacobi(machine, kPoints);
    const double begin = machine.now();
    for (int done = 0; done < kSteps; ++done) {
      step();
    }
    return machine.now() - begin;
  };
  EXPECT_LE(secondsOn(TUTTI_DEVICE_AUTO), 1.05 * secondsOn(TUTTI_DEVICE_GPU));
}

/// The same of ranks without GPUs.
constexpr std::array<Speeds, 3> kRanks{{{1, 0, 4}, {16, 0, 4}, {1, 0, 2}}};

TEST(Auto, TakesLittleMoreOnRanksThanAlwaysOrNeverDistributed) {
  constexpr int kSteps = 1200;
  for (const Speeds &speeds : someOf(kRanks)) {
    for (const Case &each : cases()) {
      for (const std::uint64_t size : someOf(each.sizes)) {
        const auto secondsBy = [&](Distribute policy) {
          return secondsOf(each.program, size, speeds, {}, kSteps, policy);
        };
        const double best = std::min(secondsBy(Distribute::Never), secondsBy(Distribute::Always));
        EXPECT_LE(secondsBy(Distribute::Auto), 1.25 * best + kUnnoticed)
            << each.name << ' ' << size << ", " << speeds.ranks << " ranks of " << speeds.cores
            << " cores";
      }
    }
  }
}

TEST(Auto, IsNotMisledByThreadsThatStartInATrial) {
  constexpr int kSteps = 4000;
  constexpr std::uint64_t kPoints = 20000;
  Machine machine({64, 64}, {});
  machine.setStarting(25e-3);
  const Step step = clusters(machine, kPoints);
  const auto secondsOfSome = [&] {
    const double begin = machine.now();
    for (int each = 0; each < kSteps; ++each) {
      step();
    }
    return machine.now() - begin;
  };

  secondsOfSome();
  EXPECT_LE(secondsOfSome(),
            1.05 * secondsOf(clusters, kPoints, {64, 64}, {TUTTI_DEVICE_CPU}, kSteps));
}

/// An elimination: its loop is one iteration shorter at each launch.
TEST(Auto, TakesLittleMoreOnRanksWhereLoopsShrink) {
  constexpr int kPasses = 3;
  for (const Speeds &speeds : someOf(kRanks)) {
    for (const std::uint64_t rows : {256, 1024}) {
      const auto secondsBy = [&](Distribute policy) {
        return secondsOf(elimination, rows, speeds, {}, kPasses, policy);
      };
      const double best = std::min(secondsBy(Distribute::Never), secondsBy(Distribute::Always));
      EXPECT_LE(secondsBy(Distribute::Auto), 1.2 * best + kUnnoticed)
          << rows << " rows, " << speeds.ranks << " ranks of " << speeds.cores << " cores";
    }
  }
}

/// Were they tried one by one, what they work on would go to and fro meanwhile.
TEST(Auto, TriesLoopsTogetherThatWorkOnTheSame) {
  constexpr int kSteps = 4000;
  constexpr Speeds kMachine{16, 64};
  for (const std::uint64_t size : {100000, 300000}) {
    const std::vector<std::uint32_t> onGpu(4, TUTTI_DEVICE_GPU);
    EXPECT_LE(secondsOf(streams, size, kMachine, {}, kSteps),
              1.05 * secondsOf(streams, size, kMachine, onGpu, kSteps))
        << size;
  }
}

/// Loops of a few microseconds, of which a trial is thousands: as long as it is not known what they
/// take it costs something, and little in all that comes then.
TEST(Auto, TriesShortLoopsSeldom) {
  constexpr int kSteps = 60000;
  constexpr Speeds kMachine{16, 64};
  const std::array<Case, 3> kShort{{{"jacobi", jacobi, {500}},
                                    {"relaxation", relaxation, {500}},
                                    {"streams", streams, {100000}}}};
  for (const Case &each : someOf(kShort)) {
    const auto secondsOfHalves = [&](const std::vector<std::uint32_t> &fixed) {
      Machine machine(kMachine, fixed);
      machine.setAhead();
      machine.setJitter(0.1);
      machine.setWeather(1.5);
      machine.setWaking(1e-3);
      const Step step = each.program(machine, each.sizes.front());
      const auto run = [&] {
        const double begin = machine.now();
        for (int steps = 0; steps < kSteps / 2; ++steps) {
          step();
        }
        return machine.now() - begin;
      };
      const double first = run();
      return std::array{first, run()};
    };
    std::array<double, 2> best{1e9, 1e9};
    for (const std::uint32_t place : {TUTTI_DEVICE_CPU, TUTTI_DEVICE_GPU}) {
      const auto found = secondsOfHalves(std::vector<std::uint32_t>(4, place));
      best = found[1] < best[1] ? found : best;
    }
    const std::array<double, 2> mine = secondsOfHalves({});
    EXPECT_LE(mine[0], 1.1 * best[0]) << each.name;
    EXPECT_LE(mine[1], 1.05 * best[1]) << each.name;
  }
}

/// Loops of examples on a GPU machine, which cores would do in little more time, or in one case in
/// twelve times as much and with all that has to come home page after page.
struct Measured {
  Case loops;
  Speeds speeds; ///< So that loops take what they took there.
  bool waits;    ///< For each kernel, because of a sum.
};

TEST(Auto, IsNoMoreThanATwentiethSlowerThanTheBestInASecondOfNoise) {
  const std::array<Measured, 4> measured{{{{"sor", relaxation, {2000}}, {16, 4096}, false},
                                          {{"stream", streams, {100000}}, {16, 40}, false},
                                          {{"nbody", gravity, {500}}, {12.5, 16.7}, false},
                                          {{"kmeans", grouping, {20000}}, {48, 100}, true}}};
  const std::uint64_t seeds = casesOf(20);
  for (const auto &[loops, speeds, waits] : someOf(measured)) {
    const auto secondsOfSteps = [&](const std::vector<std::uint32_t> &fixed, int steps,
                                    unsigned seed) {
      Machine machine(speeds, fixed);
      if (!waits) {
        machine.setAhead();
      }
      machine.setSeed(seed);
      machine.setJitter(0.1);
      machine.setWeather(1.1);
      machine.setWaking(50e-6);
      machine.setTouching(0.3e9);
      const Step step = loops.program(machine, loops.sizes.front());
      const double begin = machine.now();
      for (int done = 0; done < steps; ++done) {
        step();
      }
      return machine.now() - begin;
    };
    constexpr int kSome = 2000;
    double best = std::numeric_limits<double>::infinity(); // Of a step.
    for (const std::uint32_t place : {TUTTI_DEVICE_CPU, TUTTI_DEVICE_GPU}) {
      const std::vector<std::uint32_t> fixed(4, place);
      best =
          std::min(best, (secondsOfSteps(fixed, 3 * kSome, 1) - secondsOfSteps(fixed, kSome, 1)) /
                             (2 * kSome));
    }
    const int steps = static_cast<int>(1 / best);
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const double seconds = secondsOfSteps({}, steps, seed);
      EXPECT_LE(seconds, 1.05 * best * steps) << loops.name << ", seed " << seed;
    }
  }
}

TEST(Auto, StaysWithWhatItHasChosenThoughTimesDiffer) {
  constexpr int kSteps = 600;
  for (const Speeds &speeds : someOf(kSpeeds)) {
    for (const Case &each : cases()) {
      for (const std::uint64_t size : someOf(each.sizes)) {
        Machine machine(speeds, {});
        machine.setJitter(0.1);
        const Step step = each.program(machine, size);
        const auto run = [&] {
          const double begin = machine.now();
          for (int steps = 0; steps < kSteps; ++steps) {
            step();
          }
          return machine.now() - begin;
        };
        run();
        const int moves = machine.moves();
        const double mine = run();
        const double best = leastSecondsOf(each.program, size, speeds, kSteps);
        EXPECT_LE(machine.moves() - moves, 12)
            << each.name << ' ' << size << ", " << speeds.cores << " cores";
        EXPECT_LE(mine, 1.1 * best + kUnnoticed)
            << each.name << ' ' << size << ", " << speeds.cores << " cores";
      }
    }
  }
}

} // namespace

} // namespace tutti::model::forkjoin
