// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/opencl/opencl.h"

#include "abi/tasks.h"
#include "driver/text_assembly.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tutti::driver::opencl {

namespace {

namespace fs = std::filesystem;

bool holdsZero(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::istreambuf_iterator<char> begin(file);
  return std::find(begin, {}, '\0') != std::istreambuf_iterator<char>();
}

constexpr const char *kHelp =
    "  .cl                    OpenCL C: the text goes into the program, and is built when a task\n"
    "                         needs a kernel of it\n";

SourcePlan compile(const SourceJob &job) {
  SourcePlan plan;
  std::error_code error;
  const fs::path path = fs::absolute(job.source, error);
  if (error || !fs::is_regular_file(path, error) || !std::ifstream(path)) {
    plan.problem = job.source + ": cannot be read";
  } else if (holdsZero(path)) {
    plan.problem = job.source + ": is no text";
  } else {
    const std::string assembly = job.folder + "/" + fs::path(job.object).stem().string() + ".s";
    plan.files.push_back({assembly, textAssembly(TUTTI_SECTION_TEXTS, job.source, path)});
    plan.commands.push_back(
        {job.installation.clang, "-c", "-x", "assembler", assembly, "-o", job.object});
  }
  return plan;
}

} // namespace

constinit const DeviceLanguage kLanguage{.name = "cl",
                                         .extension = ".cl",
                                         .help = kHelp,
                                         .options = {},
                                         .compile = compile,
                                         .hostOptions = nullptr,
                                         .linkOptions = nullptr,
                                         .compilesHostCode = nullptr};

} // namespace tutti::driver::opencl
