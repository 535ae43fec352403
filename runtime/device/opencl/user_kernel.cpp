// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/opencl/user_kernel.h"

#include "base/check.h"
#include "runtime/device/opencl/status.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::device::opencl {

namespace {

constexpr const char *kArgumentInfo = " -cl-kernel-arg-info";

/// Makes messages of the compiler name the user's file.
std::string lineOf(const tutti_task_text &source) {
  std::string file;
  for (const char *at = source.file; *at != '\0'; ++at) {
    if (*at == '"' || *at == '\\') {
      file += '\\';
    }
    file += *at;
  }
  return fmt::format("#line 1 \"{}\"\n", file);
}

std::string namesOf(const tutti_task_kernel &kernel) {
  std::string names;
  for (const auto *text = kernel.texts; text != kernel.textsEnd; ++text) {
    names += (names.empty() ? "" : ", ") + std::string(text->file);
  }
  return names.empty() ? "no .cl file is linked" : "it is not in " + names;
}

/// Types of the language that are no values of the host's.
bool isOpaque(std::string_view type) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"sampler_t", "event_t", "clk_event_t", "queue_t", "reserve_id_t", "ndrange_t"});
  return std::ranges::find(kTypes, type) != kTypes.end();
}

/// Only images and pipes have an access, and only pointers an address space.
Parameter::Kind kindOf(Uint space, Uint access, std::string_view type) {
  if (access != kAccessNone) {
    return Parameter::Kind::Other;
  }
  switch (space) {
  case kAddressGlobal:
    return Parameter::Kind::Global;
  case kAddressConstant:
    return Parameter::Kind::Constant;
  case kAddressLocal:
    return Parameter::Kind::Local;
  default:
    return isOpaque(type) ? Parameter::Kind::Other : Parameter::Kind::Value;
  }
}

} // namespace

UserKernel::UserKernel(Signature signature, std::unique_ptr<OpenclKernel> wrapper)
    : signature_(std::move(signature)), wrapper_(std::move(wrapper)),
      locals_(static_cast<std::size_t>(
          std::ranges::count(signature_.parameters, Parameter::Kind::Local, &Parameter::kind))) {}

Result<UserKernel *> UserKernels::find(const tutti_task_kernel &kernel) {
  if (const auto known = kernels_.find(&kernel); known != kernels_.end()) {
    return known->second.get();
  }
  TUTTI_CHECK(kernel.name, "a task whose body is code of the host has no kernel");
  Text *text = nullptr;
  TUTTI_ASSIGN(text, textWith(kernel));
  std::unique_ptr<UserKernel> made;
  TUTTI_ASSIGN(made, make(*text, kernel.name));
  return kernels_.emplace(&kernel, std::move(made)).first->second.get();
}

/// The text that has the kernel.
Result<UserKernels::Text *> UserKernels::textWith(const tutti_task_kernel &kernel) {
  Text *found = nullptr;
  for (const auto *source = kernel.texts; source != kernel.textsEnd; ++source) {
    if (std::string_view(source->text).find(kernel.name) == std::string_view::npos) {
      continue;
    }
    Text *text = nullptr;
    TUTTI_ASSIGN(text, built(*source));
    if (std::ranges::find(text->kernels, kernel.name, &Signature::name) == text->kernels.end()) {
      continue;
    }
    if (found) {
      return failure(ErrorCode::WrongImage, "kernel {} is in {} and in {}", kernel.name,
                     found->source->file, source->file);
    }
    found = text;
  }
  if (!found) {
    return failure(ErrorCode::WrongImage, "the program has no OpenCL kernel {}: {}", kernel.name,
                   namesOf(kernel));
  }
  return found;
}

Result<UserKernels::Text *> UserKernels::built(const tutti_task_text &source) {
  if (const auto known = texts_.find(source.text); known != texts_.end()) {
    return &known->second;
  }
  Text text;
  text.source = &source;
  const std::string line = lineOf(source);
  TUTTI_ASSIGN(text.plain, builder_.build(std::array{line.c_str(), source.text}, kArgumentInfo));
  TUTTI_TRY(readKernels(text));
  return &texts_.emplace(source.text, std::move(text)).first->second;
}

Status UserKernels::readKernels(Text &text) const {
  const Library &library = builder_.library();
  Uint count = 0;
  TUTTI_TRY(statusOf(library.createKernelsInProgram(text.plain.get(), 0, nullptr, &count),
                     "clCreateKernelsInProgram"));
  if (count == 0) {
    return {};
  }
  std::vector<NativeKernel> natives(count);
  TUTTI_TRY(
      statusOf(library.createKernelsInProgram(text.plain.get(), count, natives.data(), nullptr),
               "clCreateKernelsInProgram"));
  std::vector<Owned<NativeKernel>> owned;
  for (NativeKernel native : natives) {
    owned.emplace_back(native, library.releaseKernel);
  }
  for (NativeKernel native : natives) {
    Signature signature;
    TUTTI_ASSIGN(signature, signatureOf(native));
    for (Parameter &parameter : signature.parameters) {
      parameter.type = spelled(parameter.type, text.source->text);
    }
    text.kernels.push_back(std::move(signature));
  }
  return {};
}

Result<Signature> UserKernels::signatureOf(NativeKernel kernel) const {
  const Library &library = builder_.library();
  std::array<char, 512> name{};
  Uint count = 0;
  Signature signature;
  TUTTI_TRY(statusOf(
      library.getKernelInfo(kernel, kKernelFunctionName, name.size() - 1, name.data(), nullptr),
      "clGetKernelInfo"));
  TUTTI_TRY(statusOf(library.getKernelInfo(kernel, kKernelArguments, sizeof count, &count, nullptr),
                     "clGetKernelInfo"));
  TUTTI_TRY(statusOf(library.getKernelWorkGroupInfo(kernel, builder_.device(), kKernelCompileGroup,
                                                    sizeof signature.group, signature.group.data(),
                                                    nullptr),
                     "clGetKernelWorkGroupInfo"));
  signature.name = name.data();
  for (Uint i = 0; i < count; ++i) {
    TUTTI_ASSIGN(signature.parameters.emplace_back(), parameterOf(kernel, i));
  }
  return signature;
}

Result<Parameter> UserKernels::parameterOf(NativeKernel kernel, Uint index) const {
  const Library &library = builder_.library();
  Uint space = 0;
  Uint access = 0;
  std::array<char, 512> type{};
  std::array<char, 512> name{};
  TUTTI_TRY(statusOf(
      library.getKernelArgInfo(kernel, index, kArgumentAddress, sizeof space, &space, nullptr),
      "clGetKernelArgInfo"));
  TUTTI_TRY(statusOf(
      library.getKernelArgInfo(kernel, index, kArgumentAccess, sizeof access, &access, nullptr),
      "clGetKernelArgInfo"));
  TUTTI_TRY(statusOf(library.getKernelArgInfo(kernel, index, kArgumentTypeName, type.size() - 1,
                                              type.data(), nullptr),
                     "clGetKernelArgInfo"));
  TUTTI_TRY(statusOf(
      library.getKernelArgInfo(kernel, index, kArgumentName, name.size() - 1, name.data(), nullptr),
      "clGetKernelArgInfo"));
  return Parameter{kindOf(space, access, type.data()), type.data(), name.data()};
}

Result<std::unique_ptr<UserKernel>> UserKernels::make(Text &text, const std::string &name) {
  const Signature &kernel = *std::ranges::find(text.kernels, name, &Signature::name);
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.kind == Parameter::Kind::Other) {
      return failure(ErrorCode::NotSupported,
                     "kernel {} of {}: tasks have no argument for parameter {} ({})", name,
                     text.source->file, parameter.name, parameter.type);
    }
  }
  std::unique_ptr<OpenclKernel> made;
  TUTTI_ASSIGN(made, wrapper(text, kernel));
  return std::make_unique<UserKernel>(kernel, std::move(made));
}

Result<std::unique_ptr<OpenclKernel>> UserKernels::wrapper(Text &text, const Signature &kernel) {
  std::unique_ptr<OpenclKernel> plain;
  std::unique_ptr<OpenclKernel> made;
  const std::string line = lineOf(*text.source);
  const std::string wrappers = wrappersOf(text.kernels);
  TUTTI_ASSIGN(plain, inspected(text.plain.get(), kernel.name));
  if (!text.wrapped) {
    TUTTI_ASSIGN(text.wrapped,
                 builder_.build(std::array{line.c_str(), text.source->text, wrappers.c_str()}));
  }
  TUTTI_ASSIGN(made, inspected(text.wrapped.get(), wrapperNameOf(kernel.name)));
  if (made->localBytes() >= plain->localBytes()) {
    return made;
  }
  // The driver has made one variable for all groups of what is local memory: PoCL does.
  if (!text.renamed) {
    const std::string begin = renamingOf(text.kernels);
    const std::string end = endOfRenaming(text.kernels);
    TUTTI_ASSIGN(text.renamed,
                 builder_.build(std::array{begin.c_str(), line.c_str(), text.source->text,
                                           end.c_str(), wrappers.c_str()}));
  }
  TUTTI_ASSIGN(made, inspected(text.renamed.get(), wrapperNameOf(kernel.name)));
  if (made->localBytes() >= plain->localBytes()) {
    return made;
  }
  return failure(ErrorCode::NotSupported,
                 "kernel {} of {} declares {} bytes of local memory, which the driver does not "
                 "keep apart for groups here: let it take a pointer to local memory",
                 kernel.name, text.source->file, plain->localBytes());
}

Result<std::unique_ptr<OpenclKernel>> UserKernels::inspected(Program program,
                                                             const std::string &name) const {
  const Library &library = builder_.library();
  Int code = kSuccess;
  Owned<NativeKernel> native(library.createKernel(program, name.c_str(), &code),
                             library.releaseKernel);
  TUTTI_TRY(statusOf(code, "clCreateKernel"));
  auto kernel = std::make_unique<OpenclKernel>(name, std::move(native));
  TUTTI_TRY(kernel->inspect(library, builder_.device()));
  return kernel;
}

} // namespace tutti::device::opencl
