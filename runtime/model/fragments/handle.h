// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an object of ucenv.h leads to: a value that a procedure reads or makes.
#pragma once

#include "runtime/model/fragments/state.h"

namespace tutti::model::fragments {

/// Threading: confined to the procedure.
struct Handle {
  Value value;
  const State *state = nullptr; ///< With `entry`, to find the name.
  const Entry *entry = nullptr;
};

/// Laid out as the class DF of ucenv.h.
struct Object {
  Handle *handle;
};

} // namespace tutti::model::fragments
