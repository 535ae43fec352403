// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The values of a call that stands for several: arguments made of theirs, and results cut into
/// theirs.
#pragma once

#include "runtime/model/fragments/call.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::model::fragments {

/// Slabs one behind another. Those that are neighbours in one buffer stay where they are.
/// Cost: copies the others, and brings them to the host for that.
Value concatenated(const std::vector<Value> &slabs, Cause cause);

/// Whether slabs are objects of some class, which cannot be put together.
bool areObjects(const std::vector<Value> &slabs);

/// Whether what should be slabs are objects of some class, which cannot be put together.
bool hasObjects(const tutti_luna_procedure &procedure, const Call &call);

/// Gives `call` its arguments. Returns the sizes of its members.
std::vector<std::int32_t> mergeArguments(const tutti_luna_procedure &procedure, Call &call,
                                         Cause cause);

/// Why a slab of so many units cannot be cut into those of members; nothing if it can be.
std::optional<std::string> wrongSlab(const tutti_luna_procedure &procedure, std::size_t output,
                                     const Value &value, std::size_t units);

/// What of an output of a merged call is each member's; `letter` says how it was merged.
std::vector<Value> splitValue(const Value &value, char letter,
                              const std::vector<std::int32_t> &sizes);

/// Makes of the call's outputs those of its members, one member's behind another's. If they cannot
/// be: why.
std::optional<std::string> splitOutputs(const tutti_luna_procedure &procedure,
                                        const std::vector<std::int32_t> &sizes,
                                        std::vector<Value> &outputs);

/// Whether `outputs` of the call are what its members have made; all of it is on the host.
bool areAlike(const tutti_luna_procedure &procedure, const std::vector<Value> &outputs,
              const std::vector<Value> &ofMembers);

} // namespace tutti::model::fragments
