// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How queues run kernels of the user's.
#include "runtime/device/native.h"

#include "runtime/device/opencl/device.h"
#include "runtime/device/opencl/queue.h"
#include "runtime/device/opencl/status.h"
#include "runtime/device/opencl/user_kernel.h"

namespace tutti::device::opencl {

namespace {

Status checkGroup(const NativeLaunch &launch, const UserKernel &kernel) {
  const auto &wanted = kernel.signature().group;
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d] > 0 && launch.grid.group[d] != wanted[d]) {
      return failure(ErrorCode::InvalidArgument,
                     "kernel {}: groups of {} x {} x {} work-items, where it requires {} x {} x {}",
                     kernel.name(), launch.grid.group[0], launch.grid.group[1],
                     launch.grid.group[2], wanted[0], wanted[1], wanted[2]);
    }
  }
  return {};
}

Status checkLocals(const NativeLaunch &launch, const UserKernel &kernel) {
  if (kernel.locals() > 1) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} parameters point to local memory; shmem says the bytes of one",
                   kernel.name(), kernel.locals());
  }
  if (kernel.locals() == 1 && launch.localBytes == 0) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: a parameter points to local memory; shmem has to say how many bytes",
                   kernel.name());
  }
  if (kernel.locals() == 0 && launch.localBytes > 0) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: {} bytes of local memory, to which no parameter points",
                   kernel.name(), launch.localBytes);
  }
  return {};
}

} // namespace

Status OpenclQueue::launchNative(const NativeLaunch &launch) {
  TUTTI_TRY(device_.alive());
  const auto *kernel = dynamic_cast<const UserKernel *>(launch.kernel);
  if (!kernel) {
    return failure(ErrorCode::InvalidArgument, "a kernel of another backend");
  }
  const Info &info = device_.info();
  TUTTI_TRY(checkNative(
      launch, {kernel->name(), info.name, info, kernel->maxGroup(), kernel->localBytes()}));
  TUTTI_TRY(checkGroup(launch, *kernel));
  TUTTI_TRY(checkArgumentCount(launch, kernel->signature().parameters.size(), kernel->name()));
  TUTTI_TRY(checkLocals(launch, *kernel));
  constants_.clear();
  TUTTI_TRY(setNative(launch, *kernel));
  TUTTI_TRY(run(kernel->native(), kernel->name(), launch.grid));
  constants_.clear(); // OpenCL keeps those of launches that are under way.
  return device_.note(statusOf(library_.flush(native_.get()), "clFlush"));
}

Result<void *> OpenclQueue::native() {
  TUTTI_TRY(device_.alive());
  return static_cast<void *>(native_.get());
}

Status OpenclQueue::setNative(const NativeLaunch &launch, const UserKernel &kernel) {
  // Nothing is committed for a kernel that uses no memory; it needs a buffer all the same.
  TUTTI_TRY(partials_.reserve(device_, 16));
  const Arena &arena = device_.arena();
  const Memory memory = arena.buffer() ? arena.buffer() : partials_.memory.get();
  Uint position = 0;
  TUTTI_TRY(device_.note(
      statusOf(library_.setKernelArg(kernel.native(), position++, sizeof memory, &memory),
               "clSetKernelArg")));
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    TUTTI_TRY(setParameter(launch, kernel, i, position));
  }
  return {};
}

Status OpenclQueue::setParameter(const NativeLaunch &launch, const UserKernel &kernel,
                                 std::size_t index, Uint &position) {
  const NativeArgument &argument = launch.arguments[index];
  const Parameter &parameter = kernel.signature().parameters[index];
  const auto set = [&](Size bytes, const void *value) {
    return library_.setKernelArg(kernel.native(), position++, bytes, value);
  };
  Int code = kSuccess;
  if (parameter.kind == Parameter::Kind::Local) {
    code = set(launch.localBytes, nullptr);
  } else if (parameter.kind == Parameter::Kind::Value) {
    code = argument.isTranslated ? kInvalidArgumentSize : set(argument.bytes, argument.value);
  } else if (parameter.kind == Parameter::Kind::Global) {
    Ulong offset = 0;
    TUTTI_ASSIGN(offset, offsetOf(launch, kernel, index));
    code = set(sizeof offset, &offset);
  } else {
    Ulong offset = 0;
    TUTTI_ASSIGN(offset, offsetOf(launch, kernel, index));
    if (offset == kNoOffset) {
      return failure(ErrorCode::InvalidArgument,
                     "kernel {}: argument {} is null, where it takes constant memory",
                     kernel.name(), index + 1);
    }
    std::uint64_t address = 0;
    TUTTI_ASSIGN(address, pointerOf(launch, index, kernel.name()));
    TUTTI_ASSIGN(constants_.emplace_back(), device_.constantAt(address, offset));
    const Memory memory = constants_.back().get();
    code = set(sizeof memory, &memory);
    code = code == kSuccess ? set(sizeof offset, &offset) : code;
  }
  if (code == kInvalidArgumentSize) {
    return nativeFailure(
        ErrorCode::InvalidArgument, code,
        "kernel {}: argument {} has {} bytes{}, which is not its parameter {} ({})", kernel.name(),
        index + 1, argument.bytes, argument.isTranslated ? " and is a pointer" : "", parameter.name,
        parameter.type);
  }
  return device_.note(statusOf(code, "clSetKernelArg"));
}

/// Where the byte that an argument points to lies in the arena; `kNoOffset` for a null pointer.
Result<Ulong> OpenclQueue::offsetOf(const NativeLaunch &launch, const UserKernel &kernel,
                                    std::size_t index) {
  std::uint64_t address = 0;
  TUTTI_ASSIGN(address, pointerOf(launch, index, kernel.name()));
  const bool isTranslated = launch.arguments[index].isTranslated;
  if (!isTranslated && address == 0) {
    return kNoOffset;
  }
  if (!isTranslated) {
    return failure(ErrorCode::InvalidArgument,
                   "kernel {}: argument {} points to {:#x}, which {} does not have", kernel.name(),
                   index + 1, address, device_.info().name);
  }
  // The byte itself need not be there: what is touched may lie behind it.
  return device_.arena().offsetsOf({address, address + 1}).begin;
}

} // namespace tutti::device::opencl
