// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A driver library over host memory, for tests: it has the symbols of functions.def, runs host
/// functions in place of kernels, and refuses what the real one refuses or what would be a mistake.
///
/// Streams do nothing until somebody waits for them or polls, so whoever reads a result too early,
/// or uses a staging buffer again too early, gets wrong bytes. Device memory lies where the backend
/// maps it and traps outside; every allocation is filled with a pattern.
///
/// Programs that only open it (conformance, `tutti info`) find one GPU of 1 GiB, or what
/// FAKE_CUDA_DEVICES and FAKE_CUDA_MEMORY (in MiB) say. Processes share memory through files,
/// unless FAKE_CUDA_SHARES=0; who gives memory back that another process still has mapped is
/// stopped. FAKE_CUDA_PEERS=0 keeps devices from copying from one another. FAKE_CUDA_FULL names a
/// device that has less memory than it says, FAKE_CUDA_SLOW one that gets things done later than
/// others. FAKE_CUDA_OPENING says how many milliseconds the driver takes to start.
/// FAKE_CUDA_FAIL="call result skip" is a `failNext`. In place of the kernel NAME the program's
/// function `int fake_cuda_NAME(const uint64_t *parameters)` runs, if it has one. With
/// FAKE_CUDA_IDLE=1 kernels that nobody has set a function for do nothing, and the calls of every
/// name are printed at the end: for measurements of what a launch costs the host, of programs whose
/// results nobody reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tutti::device::cuda {

struct FunctionObject;

} // namespace tutti::device::cuda

namespace fake_cuda {

struct Plan {
  int devices = 1;
  std::size_t memory = std::size_t{1} << 30; ///< Of each.
  std::size_t mostAddresses = std::size_t{1} << 43;
  int version = 12080;
  int initResult = 0;
  bool hasVirtualMemory = true;
  bool hasPeers = true;
  bool hasFileHandles = true; ///< Memory can be shared with other processes.
  int capability = 90;
  /// Polls of an event that find it incomplete. Negative: only `run` and waiting get on.
  int delay = 0;
  int full = -1; ///< A device that gives 4 MiB only, whatever it says.
  bool hasConcurrentManaged = true;
  int slow = -1; ///< A device whose events take two milliseconds, unless somebody waits.
};

/// One launch as the function in place of a kernel sees it.
struct Launch {
  std::uint64_t groups[3];
  std::uint64_t group[3];
  std::size_t shared; ///< Dynamic shared memory.
  const std::uint64_t *parameters;
  std::size_t count;
  /// Where the launch has given addresses of its arguments instead: copies of them.
  std::vector<std::vector<std::byte>> arguments;

  template <typename T> T argument(std::size_t index) const {
    T value;
    std::memcpy(&value, arguments.at(index).data(), sizeof value);
    return value;
  }
};

/// Returns a CUresult: what is not 0 ends the context.
using Function = std::function<int(const Launch &)>;

/// Back to the beginning: nothing may be open.
void reset(const Plan &plan);

void setFunction(const std::string &name, Function function);

/// Stands for the program's cudaGetFuncBySymbol: `stub` is the text of a module with one kernel.
int functionBySymbol(tutti::device::cuda::FunctionObject **function, const void *stub);

/// What cudaSetDevice does on this thread, to a device that has been opened, and which it is; -1:
/// none.
void setCurrent(int device);
int currentDevice();

/// Makes host memory managed, or ordinary again.
void setManaged(const void *memory, std::size_t bytes);
void clearManaged();

/// Bytes of managed memory that prefetches have asked for since `clearCalls`.
std::size_t prefetched();

/// The next call of this name, after `skip` others, gives `result` and does nothing else.
void failNext(const std::string &call, int result, int skip = 0);

/// Calls of this name since `clearCalls`; all calls if it is empty.
std::size_t calls(const std::string &name);

/// Bytes that copies to host memory were asked for since then.
std::size_t bytesOut();
void clearCalls();

/// Bytes that are allocated on all devices, addresses that are reserved, streams and events alive.
std::size_t allocated();
std::size_t reserved();
std::size_t objects();

/// Whether the calling thread is inside a call of the library, which takes memory as it likes.
bool isInside();

/// Does everything that was given to streams.
void run();

} // namespace fake_cuda

/// `fake_cuda::calls` for programs that are not linked with it.
extern "C" std::size_t fake_cuda_calls(const char *name);
