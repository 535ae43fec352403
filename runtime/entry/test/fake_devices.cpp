// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops over several GPUs of one process, on a driver library that does nothing before somebody
/// waits for it: whoever forgets to put two devices in order gets wrong numbers. Then what steady
/// loops cost: calls of the driver, memory taken, system calls.
///
/// Arguments: GPUs of each rank, seed of the order of loops, ranks. On several ranks the calls are
/// not compared, but counters are. On one rank calls are as said with `TUTTI_BALANCE=off`: parts
/// that take unlike times, as under load, get other borders otherwise, and rows move. Seed 0 is
/// steady halos only. "short" behind them leaves all out but the results of some loops, "shared"
/// all but loops whose data several places have.
#include "runtime/device/cuda/test/fake_cuda.h"
#include "runtime/exec/test/hand_region.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace {

using Words = const std::uint64_t *;

thread_local bool isCounting = false;
std::size_t allocations = 0;

/// Captures of all loops: from, to, rows, columns. A chunk is of rows [1, rows - 1).
std::int64_t tripOf(Words captures, Words) { return static_cast<std::int64_t>(captures[2]) - 2; }

struct Arrays {
  Arrays(Words captures, const tutti_chunk *chunk)
      : from(VIEW(std::uint64_t, captures[0], chunk)), to(VIEW(std::uint64_t, captures[1], chunk)),
        columns(static_cast<std::int64_t>(captures[3])) {}

  std::uint64_t *from;
  std::uint64_t *to;
  std::int64_t columns;
};

template <typename Visit>
void forPoints(std::int64_t columns, std::int64_t first, std::int64_t last, std::int64_t step,
               Visit &&visit) {
  for (std::int64_t row = first + 1; row <= last + 1; ++row) {
    for (std::int64_t column = 0; column < columns; column += step) {
      visit(row * columns + column);
    }
  }
}

void access(tutti_sink *sink, std::uint32_t flags, Words captures, int array, std::int64_t lower,
            std::int64_t upper, std::int64_t step = 1) {
  const auto columns = static_cast<std::int64_t>(captures[3]);
  const tutti_dim dims[2] = {{8 * columns, upper - lower}, {8 * step, columns / step}};
  tutti_access(sink, flags, captures[array],
               captures[array] + static_cast<std::uint64_t>(8 * lower * columns), 8, 2, dims);
}

// to[i] = f(from[i - 1], from[i + 1]): what is copied is overwritten by the launch behind.
void relaxBody(Words captures, const tutti_chunk *chunk, std::int64_t first, std::int64_t last,
               void *) {
  const Arrays at(captures, chunk);
  forPoints(at.columns, first, last, 1, [&](std::int64_t i) {
    at.to[i] = at.from[i - at.columns] + 3 * at.from[i + at.columns] + 1;
  });
}

void relaxAccesses(Words captures, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                   tutti_sink *sink) {
  access(sink, TUTTI_READ, captures, 0, lower, upper + 2);
  access(sink, TUTTI_WRITE, captures, 1, lower + 1, upper + 1);
}

// from[i] even = f(from[i - 1] odd, from[i + 1] odd): some of what is copied is overwritten by the
// same launch.
void sweepBody(Words captures, const tutti_chunk *chunk, std::int64_t first, std::int64_t last,
               void *) {
  const Arrays at(captures, chunk);
  forPoints(at.columns, first, last, 2, [&](std::int64_t i) {
    at.from[i] += at.from[i - at.columns + 1] + 5 * at.from[i + at.columns + 1];
  });
}

void sweepAccesses(Words captures, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                   tutti_sink *sink) {
  access(sink, TUTTI_READ, captures, 0, lower, upper + 2);
  access(sink, TUTTI_WRITE, captures, 0, lower + 1, upper + 1, 2);
}

// to[i] = from[i + 1]: copies in one direction only.
void shiftBody(Words captures, const tutti_chunk *chunk, std::int64_t first, std::int64_t last,
               void *) {
  const Arrays at(captures, chunk);
  forPoints(at.columns, first, last, 1,
            [&](std::int64_t i) { at.to[i] = at.from[i + at.columns] + 7; });
}

void shiftAccesses(Words captures, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                   tutti_sink *sink) {
  access(sink, TUTTI_READ, captures, 0, lower + 2, upper + 2);
  access(sink, TUTTI_WRITE, captures, 1, lower + 1, upper + 1);
}

// from[i] = f(from[i]): no copies, but overwrites what the launch before has copied.
void scaleBody(Words captures, const tutti_chunk *chunk, std::int64_t first, std::int64_t last,
               void *) {
  const Arrays at(captures, chunk);
  forPoints(at.columns, first, last, 1, [&](std::int64_t i) { at.from[i] = 3 * at.from[i] + 1; });
}

void scaleAccesses(Words captures, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                   tutti_sink *sink) {
  access(sink, TUTTI_READ | TUTTI_WRITE, captures, 0, lower + 1, upper + 1);
}

// to[i] = f(from, rows of everybody's): what one reads, all have.
void gatherBody(Words captures, const tutti_chunk *chunk, std::int64_t first, std::int64_t last,
                void *) {
  const Arrays at(captures, chunk);
  const auto rows = static_cast<std::int64_t>(captures[2]);
  forPoints(at.columns, first, last, 1, [&](std::int64_t i) {
    const std::int64_t row = i / at.columns;
    const std::int64_t column = i % at.columns;
    at.to[i] = at.from[7 * row % rows * at.columns + column] +
               3 * at.from[(rows - 1 - row) * at.columns + column];
  });
}

void gatherAccesses(Words captures, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                    tutti_sink *sink) {
  access(sink, TUTTI_READ, captures, 0, 0, static_cast<std::int64_t>(captures[2]));
  access(sink, TUTTI_WRITE, captures, 1, lower + 1, upper + 1);
}

std::int32_t extentsOf(Words, Words, std::int64_t lower, std::int64_t upper, std::int64_t,
                       std::int64_t *extents) {
  extents[0] = upper - lower;
  return 1;
}

constexpr const char *kText =
    ".version 6.3\n.entry relax(\n.entry sweep(\n.entry shift(\n.entry scale(\n.entry gather(";

#define LOOP(name, id)                                                                             \
  void name##Run(Words captures, const tutti_chunk *chunk) {                                       \
    runLoop(captures, chunk, name##Body);                                                          \
  }                                                                                                \
  void name##Home(Words captures) { homeLoop(captures, tripOf(captures, nullptr), name##Body); }   \
  constexpr auto name##Gather = noValues;                                                          \
  constexpr auto name##Trip = tripOf;                                                              \
  constexpr tutti_kernel name##Kernel = {TUTTI_KERNEL_PTX, 0, #name, kText};                       \
  constexpr tutti_mapping name##Mapping = {1, 0, 1, &name##Kernel, extentsOf};                     \
  constexpr tutti_device_code name##Code = {nullptr, 1,       0, &name##Mapping, nullptr, 0, 0,    \
                                            nullptr, nullptr, 0, nullptr};                         \
  USER_DEVICE_REGION(name, id, 4, 0, 0, &name##Code);

LOOP(relax, 0x5a01)
LOOP(sweep, 0x5a02)
LOOP(shift, 0x5a03)
LOOP(scale, 0x5a04)
LOOP(gather, 0x5a05)

struct Loop {
  const tutti_region *region;
  Iterations body;
};

constexpr Loop kLoops[] = {{&relax, relaxBody},
                           {&sweep, sweepBody},
                           {&shift, shiftBody},
                           {&scale, scaleBody},
                           {&gather, gatherBody}};

/// What the driver runs in place of a kernel: the loop's own code, on the device's memory.
void setKernels() {
  for (const Loop &loop : kLoops) {
    fake_cuda::setFunction(loop.region->function, [loop](const fake_cuda::Launch &launch) {
      const std::uint64_t *parameters = launch.parameters; // As in tutti_kernel.
      const tutti_chunk chunk = {static_cast<std::int64_t>(parameters[2]),
                                 static_cast<std::int64_t>(parameters[3]),
                                 static_cast<std::int64_t>(parameters[4]),
                                 static_cast<std::int64_t>(parameters[5]),
                                 nullptr,
                                 nullptr};
      loop.body(parameters + 7, &chunk, chunk.lower, chunk.upper - 1, nullptr);
      return 0;
    });
  }
}

/// Ranks above 0 run neither `main` nor constructors.
__attribute__((section(".preinit_array"), used)) void (*const kSetKernels)() = setKernels;

/// Two arrays, and what they should hold.
class Pair {
public:
  Pair(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), words_(static_cast<std::size_t>(rows * columns)) {
    for (int array = 0; array < 2; ++array) {
      arrays_[array] = static_cast<std::uint64_t *>(tutti_malloc(8 * words_));
      truth_[array].resize(words_);
      for (std::size_t i = 0; i < words_; ++i) {
        arrays_[array][i] = truth_[array][i] = (i * 7919 + static_cast<std::size_t>(array)) % 1009;
      }
    }
  }

  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;

  ~Pair() {
    std::free(arrays_[0]);
    std::free(arrays_[1]);
  }

  void launch(const Loop &loop, int from) {
    const std::uint64_t captures[4] = {wordOf(arrays_[from]), wordOf(arrays_[1 - from]),
                                       static_cast<std::uint64_t>(rows_),
                                       static_cast<std::uint64_t>(columns_)};
    tutti_launch(loop.region, captures);
  }

  void compute(const Loop &loop, int from) {
    const std::uint64_t captures[4] = {wordOf(truth_[from].data()), wordOf(truth_[1 - from].data()),
                                       static_cast<std::uint64_t>(rows_),
                                       static_cast<std::uint64_t>(columns_)};
    const tutti_chunk whole = {0, 0, rows_ - 2, rows_ - 2, nullptr, nullptr};
    loop.body(captures, &whole, 0, rows_ - 3, nullptr);
  }

  bool isRight(int array) const {
    return std::memcmp(arrays_[array], truth_[array].data(), 8 * words_) == 0;
  }

  bool isRight() const { return isRight(0) && isRight(1); }

private:
  template <typename T> static std::uint64_t wordOf(T *pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::size_t words_;
  std::uint64_t *arrays_[2];
  std::vector<std::uint64_t> truth_[2];
};

/// So many words that every device is worth its part.
Pair pairFor(int devices) { return {60, devices * (6 << 10)}; }

void testOrder(int devices, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pair pair = pairFor(devices);
  for (int step = 0; step < 40; ++step) {
    const Loop &loop = kLoops[random() % 4];
    const int from = static_cast<int>(random() % 2);
    pair.launch(loop, from);
    pair.compute(loop, from);
    CHECK(random() % 10 != 0 || pair.isRight());
  }
  CHECK(pair.isRight());
}

/// What all loops read is on the host of rank 0, then on devices only; each writes all that the one
/// before has written. So the data is whole behind each but the `scale`.
void testShared(int devices) {
  Pair pair = pairFor(devices);
  for (const int loop : {4, 4, 4, 3, 4, 4, 4, 4}) {
    pair.launch(kLoops[loop], 0);
    pair.compute(kLoops[loop], 0);
  }
  CHECK(pair.isRight(0));
  pair.launch(kLoops[4], 0);
  CHECK(pair.isRight());
}

/// Two rows per pair of neighbours and launch are copied, whoever has the devices. Nothing waits
/// for the end of a launch but what the next one needs.
void testSteady(const Loop &loop, int devices) {
  Pair pair = pairFor(devices);
  for (int launch = 0; launch < 200; ++launch) {
    pair.launch(loop, launch % 2);
  }
  for (int launch = 0; launch < 200; ++launch) {
    pair.compute(loop, launch % 2);
  }
  CHECK(pair.isRight());
}

/// What one launch copies from a neighbour, the next overwrites there without need of anybody.
void testOverwritingAlone(int devices) {
  Pair pair = pairFor(devices);
  for (int launch = 0; launch < 200; ++launch) {
    pair.launch(kLoops[launch % 2 == 0 ? 2 : 3], 0);
  }
  for (int launch = 0; launch < 200; ++launch) {
    pair.compute(kLoops[launch % 2 == 0 ? 2 : 3], 0);
  }
  CHECK(pair.isRight());
}

constexpr std::size_t kLaunches = 100;

void relaxOften(Pair &pair) {
  for (std::size_t launch = 0; launch < kLaunches; ++launch) {
    pair.launch(kLoops[0], launch % 2 == 0 ? 0 : 1);
  }
}

void sweepOften(Pair &pair) {
  for (std::size_t launch = 0; launch < kLaunches; ++launch) {
    pair.launch(kLoops[1], 0);
  }
}

/// Returns when the driver gets no more kernels: a thread may still be giving it the last ones.
void awaitKernels() {
  constexpr int kQuiet = 50; // Milliseconds.
  std::size_t count = 0;
  for (int quiet = 0; quiet < kQuiet; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (const std::size_t now = fake_cuda::calls("cuLaunchKernel"); now != count) {
      count = now;
      quiet = 0;
    }
  }
}

/// What crosses between devices, and nothing waits twice for the same.
void testCalls(int devices) {
  const auto count = static_cast<std::size_t>(devices);
  Pair pair = pairFor(devices);
  fake_cuda::clearCalls();
  relaxOften(pair);
  awaitKernels();
  fake_cuda::clearCalls();

  relaxOften(pair);
  awaitKernels();

  const std::size_t pairs = 2 * (count - 1); // Of neighbours, in either direction.
  CHECK(fake_cuda::calls("cuLaunchKernel") == count * kLaunches);
  CHECK(fake_cuda::calls("cuMemcpyDtoDAsync_v2") == pairs * kLaunches);
  CHECK(fake_cuda::calls("cuStreamWaitEvent") <= pairs * kLaunches);
  // The thread that looks after the devices now and then asks them, too.
  const std::size_t events = fake_cuda::calls("cuEventQuery") + fake_cuda::calls("cuEventRecord");
  CHECK(events < (devices == 1 ? 0 : count * kLaunches) + kLaunches);
  const std::size_t switches = fake_cuda::calls("cuCtxSetCurrent");
  CHECK(switches <= (devices == 1 ? 1 : 3 * count * kLaunches + 10));
  CHECK(fake_cuda::calls("") ==
        events + switches + (count + pairs) * kLaunches + fake_cuda::calls("cuStreamWaitEvent"));
}

/// Kernels wait until their neighbours have the bytes that they overwrite.
void testOverwriting(int devices) {
  Pair pair = pairFor(devices);
  sweepOften(pair);
  fake_cuda::clearCalls();

  sweepOften(pair);

  const auto pairs = static_cast<std::size_t>(2 * (devices - 1));
  CHECK(fake_cuda::calls("cuStreamWaitEvent") > pairs * kLaunches * 3 / 2);
}

void testAllocations() {
  Pair pair(40, 1000);
  relaxOften(pair);
  allocations = 0;

  isCounting = true;
  relaxOften(pair);
  isCounting = false;

  CHECK(allocations == 0);
}

#if defined(PR_SET_SYSCALL_USER_DISPATCH) && defined(__x86_64__)

volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
volatile int systemCalls = 0;

/// The call is made behind it: one that is left out may be the wake of a thread that waits for a
/// lock, which would wait for ever.
void onSystemCall(int, siginfo_t *, void *rawContext) {
  constexpr greg_t kInstructionBytes = 2;
  selector = SYSCALL_DISPATCH_FILTER_ALLOW;
  systemCalls = systemCalls + 1;
  // All registers are as before the call but this.
  static_cast<ucontext_t *>(rawContext)->uc_mcontext.gregs[REG_RIP] -= kInstructionBytes;
}

/// Of this thread; the first ends the count.
bool makesSystemCalls(Pair &pair) {
  systemCalls = 0;
  selector = SYSCALL_DISPATCH_FILTER_BLOCK;
  for (int launch = 0; launch < 20; ++launch) {
    pair.launch(kLoops[0], launch % 2);
  }
  selector = SYSCALL_DISPATCH_FILTER_ALLOW;
  return systemCalls > 0;
}

void testSystemCalls() {
  Pair pair(40, 1000);
  relaxOften(pair);
  struct sigaction action = {};
  action.sa_sigaction = onSystemCall;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSYS, &action, nullptr);
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) != 0) {
    std::puts("this kernel cannot count system calls");
    return;
  }

  // Now and then the other thread holds the lock: on a busy machine, nearly always.
  bool isClean = false;
  for (int attempt = 0; attempt < 1000 && !isClean; ++attempt) {
    isClean = !makesSystemCalls(pair);
  }

  prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
  CHECK(isClean);
}

#else
void testSystemCalls() {}
#endif

} // namespace

extern "C" void *__libc_malloc(std::size_t bytes);

extern "C" void *malloc(std::size_t bytes) {
  if (isCounting && !fake_cuda::isInside()) {
    ++allocations;
  }
  return __libc_malloc(bytes);
}

int main(int argc, char **argv) {
  CHECK(argc >= 4);
  const int devices = std::atoi(argv[1]);
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  const int ranks = std::atoi(argv[3]);
  if (argc > 4 && std::strcmp(argv[4], "short") == 0) {
    testOrder(ranks * devices, seed);
    std::puts("ok");
    return 0;
  }
  if (argc > 4 && std::strcmp(argv[4], "shared") == 0) {
    testShared(ranks * devices);
    std::puts("ok");
    return 0;
  }
  if (seed > 0) {
    testOrder(ranks * devices, seed);
    testSteady(kLoops[1], ranks * devices);
    testOverwritingAlone(ranks * devices);
  } else {
    testSteady(kLoops[0], ranks * devices);
  }
  if (ranks > 1 || std::getenv("TUTTI_DEVICE_MEMORY")) { // Little memory: data goes to and fro.
    std::puts("ok");
    return 0;
  }
  testCalls(devices);
  if (devices > 1) {
    testOverwriting(devices);
  } else {
    testAllocations();
    testSystemCalls();
  }
  std::puts("ok");
}
