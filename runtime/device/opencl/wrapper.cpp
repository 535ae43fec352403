// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/wrapper.h"

#include "base/format.h"

#include <algorithm>

namespace tutti::device::opencl {

namespace {

/// Aligned for whatever the user's pointer points to: drivers align local memory for its type.
constexpr const char *kWidest = "ulong16";

std::string declared(const Parameter &parameter, const std::string &name) {
  switch (parameter.kind) {
  case Parameter::Kind::Value:
    return fmt::format("{} {}", parameter.type, name);
  case Parameter::Kind::Global:
    return fmt::format("ulong {}", name);
  case Parameter::Kind::Constant:
    return fmt::format("__constant {} *{}, ulong {}_at", kWidest, name, name);
  case Parameter::Kind::Local:
    return fmt::format("__local {} *{}", kWidest, name);
  case Parameter::Kind::Other:
    break;
  }
  return {};
}

std::string passed(const Parameter &parameter, const std::string &name) {
  switch (parameter.kind) {
  case Parameter::Kind::Global:
    return fmt::format("({} == {}ul ? 0 : (__global void *)(tutti_arena + {}))", name, kNoOffset,
                       name);
  case Parameter::Kind::Constant:
    return fmt::format("(__constant void *)((__constant char *){} + {}_at)", name, name);
  case Parameter::Kind::Local:
    return fmt::format("(__local void *){}", name);
  default:
    return name;
  }
}

std::string wrapperOf(const Signature &kernel) {
  std::string parameters = "__global char *tutti_arena";
  std::string arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string name = fmt::format("tutti_{}", i);
    parameters += ", " + declared(kernel.parameters[i], name);
    arguments += (i > 0 ? ", " : "") + passed(kernel.parameters[i], name);
  }
  const auto &group = kernel.group;
  const std::string attribute =
      group[0] > 0 ? fmt::format("__attribute__((reqd_work_group_size({}, {}, {}))) ", group[0],
                                 group[1], group[2])
                   : "";
  return fmt::format("__kernel {}void {}({}) {{ {}({}); }}\n", attribute,
                     wrapperNameOf(kernel.name), parameters, kernel.name, arguments);
}

} // namespace

bool Signature::canBeWrapped() const {
  return std::ranges::none_of(parameters, [](const Parameter &parameter) {
    return parameter.kind == Parameter::Kind::Other;
  });
}

std::string spelled(const std::string &type, std::string_view text) {
  for (const std::string_view keyword : {"struct", "union", "enum"}) {
    const bool mayBeTwoWords =
        type.starts_with(keyword) && type.size() > keyword.size() && type[keyword.size()] != ' ';
    if (mayBeTwoWords && text.find(type) == std::string_view::npos) {
      return fmt::format("{} {}", keyword, type.substr(keyword.size()));
    }
  }
  return type;
}

std::string wrapperNameOf(const std::string &kernel) { return "tutti_run_" + kernel; }

std::string wrappersOf(std::span<const Signature> kernels) {
  std::string text = "\n"; // The user's may end without.
  for (const Signature &kernel : kernels) {
    text += kernel.canBeWrapped() ? wrapperOf(kernel) : "";
  }
  return text;
}

std::string renamingOf(std::span<const Signature> kernels) {
  std::string text;
  for (const Signature &kernel : kernels) {
    text += fmt::format("#define {}(...) {}(__VA_ARGS__) __asm__(\"{}.user\"); "
                        "__kernel void {}(__VA_ARGS__)\n",
                        kernel.name, kernel.name, wrapperNameOf(kernel.name), kernel.name);
  }
  return text;
}

std::string endOfRenaming(std::span<const Signature> kernels) {
  std::string text = "\n";
  for (const Signature &kernel : kernels) {
    text += fmt::format("#undef {}\n", kernel.name);
  }
  return text;
}

} // namespace tutti::device::opencl
