// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Command lines with files in languages of devices: what is to be run before Clang, and what Clang
/// then gets.
#pragma once

#include "driver/compile_request.h"
#include "driver/device_language.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::driver {

struct DeviceBuild {
  std::vector<TextFile> files; ///< To be written before the commands run.
  std::vector<Command> commands;
  std::vector<std::function<SourcePlan()>> later; ///< What the commands leave to be done.
  std::vector<std::string> arguments; ///< For Clang: the user's, with objects in place of files.
  bool needsClang = true;             ///< Else nothing is left for it.
  std::string problem;                ///< Why it cannot be done, in one line.
};

/// Whether the (expanded) arguments have such files.
bool hasDeviceSources(std::span<const std::string> arguments,
                      std::span<const DeviceLanguage *const> languages);

/// `folder` is for what is there while the commands run.
DeviceBuild planDeviceBuild(const std::vector<std::string> &arguments,
                            const CompileRequest &request, const Installation &installation,
                            std::span<const DeviceLanguage *const> languages,
                            const std::string &folder);

/// What Clang gets besides.
Additions additionsFor(const std::vector<std::string> &arguments, const CompileRequest &request,
                       const Installation &installation,
                       std::span<const DeviceLanguage *const> languages);

} // namespace tutti::driver
