// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What messages call a task whose touches are looked at.
#pragma once

namespace tutti::model::tasks {

struct CheckedTask {
  const char *name = nullptr;
  const char *source = nullptr; ///< May be null.
};

} // namespace tutti::model::tasks
