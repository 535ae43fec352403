// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/mock/native.h"

#include <cstring>

namespace tutti::device::mock {

namespace {

/// What the function gets, and what is behind it.
struct Run {
  tutti_mock_run seen;
  const std::function<std::byte *(std::uint64_t address)> *at;
};

void *byteAt(const tutti_mock_run *run, std::uintptr_t address) {
  return (*reinterpret_cast<const Run *>(run)->at)(address);
}

} // namespace

MockNative::MockNative(const tutti_task_kernel &kernel, std::uint32_t maxGroup)
    : name_(kernel.name), maxGroup_(maxGroup),
      function_(reinterpret_cast<tutti_mock_kernel>(const_cast<void *>(kernel.stubs[0]))) {}

NativeCall::NativeCall(const NativeLaunch &launch)
    : function_(static_cast<const MockNative &>(*launch.kernel).function()), grid_(launch.grid),
      localBytes_(launch.localBytes) {
  for (const NativeArgument &argument : launch.arguments) {
    auto &copy = arguments_.emplace_back((argument.bytes + sizeof(Word) - 1) / sizeof(Word));
    std::memcpy(copy.data(), argument.value, argument.bytes);
  }
}

void NativeCall::run(const std::function<std::byte *(std::uint64_t address)> &at) const {
  std::vector<const void *> arguments;
  for (const auto &argument : arguments_) {
    arguments.push_back(argument.data());
  }
  const Run run{{{grid_.groups[0], grid_.groups[1], grid_.groups[2]},
                 {grid_.group[0], grid_.group[1], grid_.group[2]},
                 localBytes_,
                 arguments.size(),
                 arguments.data(),
                 &byteAt},
                &at};
  function_(&run.seen);
}

} // namespace tutti::device::mock
