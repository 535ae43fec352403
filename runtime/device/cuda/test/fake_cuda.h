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
/// others. FAKE_CUDA_FAIL="call result skip" is a `failNext`. With FAKE_CUDA_IDLE=1 kernels that
/// nobody has set a function for do nothing, and the calls of every name are printed at the end:
/// for measurements of what a launch costs the host, of programs whose results nobody reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

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
  int slow = -1; ///< A device whose events take two milliseconds, unless somebody waits.
};

/// One launch as the function in place of a kernel sees it.
struct Launch {
  std::uint64_t groups[3];
  std::uint64_t group[3];
  std::size_t shared; ///< Dynamic shared memory.
  const std::uint64_t *parameters;
  std::size_t count;
};

/// Returns a CUresult: what is not 0 ends the context.
using Function = std::function<int(const Launch &)>;

/// Back to the beginning: nothing may be open.
void reset(const Plan &plan);

void setFunction(const std::string &name, Function function);

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
