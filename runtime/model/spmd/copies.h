// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Device copies of variables: objects of the node's unified memory, which the loops on devices use
/// in place of the variables. Both differ until one is copied to the other.
#pragma once

#include "base/result.h"
#include "runtime/model/spmd/descriptors.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tutti::model::spmd {

enum class CopyDirection { In, Out };

/// Threading: confined to the thread that runs `main`.
/// Ownership: borrows the world.
class Copies {
public:
  explicit Copies(World &world) : world_(world) {}

  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  /// A new one, of an array or, if that is null, of a variable.
  /// Errors: InvalidArgument  there is one, or the array has no memory yet; OutOfMemory.
  Result<void *> add(const Array *array, void *variable, std::size_t bytes);

  /// Ends what is under way in it first.
  Status remove(void *place);

  /// Errors: InvalidArgument  the variable has another size than when the copy was made.
  Status sync(void *place, CopyDirection direction);

  /// Where the copy of an array is. Errors: InvalidArgument  there is none, or of another size.
  Result<std::byte *> of(const Array &array);

  /// What begins now goes on in the array's copy under this id.
  void noteAsync(const Array &array, std::int64_t async);

  bool has(const Array &array) const { return find(array) != nullptr; }

private:
  struct Copy {
    const Array *array;
    std::byte *variable; ///< Of no array.
    std::size_t bytes;
    void *memory;
    std::vector<std::int64_t> asyncs;
  };

  const Copy *find(const Array &array) const;
  Result<std::byte *> variableOf(const Copy &copy) const;

  World &world_;
  std::map<void *, Copy> copies_; ///< By their places.
};

} // namespace tutti::model::spmd
