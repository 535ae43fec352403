// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Objects that hold the text of a file, for the runtime to find.
#pragma once

#include <string>

namespace tutti::driver {

/// Assembly with a `tutti_task_text` in `section` for the text of `file`, which `path` leads to.
std::string textAssembly(const std::string &section, const std::string &file,
                         const std::string &path);

} // namespace tutti::driver
