// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Languages of devices, whose files `tutticc` takes beside Clang's.
///
/// To add one: a folder NAME below driver/ with a CMakeLists.txt that makes `tutti_driver_NAME`,
/// and NAME.h with `const DeviceLanguage kLanguage` in namespace `tutti::driver::NAME`.
#pragma once

#include "driver/command_line.h"
#include "driver/compile_request.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// One file to be made an object. Borrows.
struct SourceJob {
  const std::string &source;
  const std::string &object;
  const std::string &folder;              ///< For what is there while commands run.
  std::span<const std::string> arguments; ///< The whole command line.
  const CompileRequest &request;
  const Installation &installation;
};

struct TextFile {
  std::string path;
  std::string text;
};

/// What makes the object: files, then commands, in their order.
struct SourcePlan {
  std::vector<TextFile> files;
  std::vector<Command> commands;
  std::string problem; ///< Why there is none, in one line.
  /// What else there is to do is known when the commands have been run. May be empty.
  std::function<SourcePlan()> later;
};

/// What a link has. Borrows.
struct LinkJob {
  std::span<const std::string> arguments;
  bool hasSources;               ///< Of the language.
  const std::string &libraryDir; ///< Has what Tutti adds.
};

struct DeviceLanguage {
  std::string_view name;              ///< For `-x`.
  std::string_view extension;         ///< Of its files.
  const char *help;                   ///< Lines of `--tutti-help`.
  std::span<const OwnOption> options; ///< Which Clang does not get where there are such files.

  SourcePlan (*compile)(const SourceJob &job);

  /// What host files of the command are compiled with besides, such as headers that they may
  /// include; stands behind the user's options. May be null.
  std::vector<std::string> (*hostOptions)();

  /// What stands last in the command of a link. May be null.
  std::vector<std::string> (*linkOptions)(const LinkJob &job);

  /// Whether its files can be compiled here. Null: they have nothing but kernels, and no functions
  /// of the host that start these by themselves.
  bool (*compilesHostCode)();
};

/// Those of the build.
std::span<const DeviceLanguage *const> deviceLanguages();

} // namespace tutti::driver
