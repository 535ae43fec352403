// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Assignments in which the other nodes call nothing: elements are asked for, or sent, by control
/// messages, which every node serves whenever it waits for something.
#pragma once

#include "base/result.h"
#include "runtime/distribution/gmove.h"
#include "runtime/model/spmd/mover.h"
#include "runtime/model/spmd/world.h"
#include "runtime/transport/transport.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tutti::model::spmd {

struct Array;
struct Operand;

/// Arrays are known to other nodes by the order in which they were made: those that all nodes make
/// in the same order, as at file scope, have the same number everywhere. A request says what the
/// array is, so that another one is not taken for it.
///
/// Threading: confined to the thread that runs `main`.
class OneSided {
public:
  explicit OneSided(World &world) : world_(world) {}

  void add(Array &array);
  void remove(const Array &array);

  /// Gets the elements of the right side that this node's part of the left side needs.
  Result<std::unique_ptr<Operation>> get(const Operand &left, const Operand &right);

  /// Puts the elements that this node gives where they belong.
  Result<std::unique_ptr<Operation>> put(const Operand &left, const Operand &right);

  /// Answers what has arrived. Never blocks.
  Status serve();

private:
  class Pending;
  struct Words;

  Status answer(const transport::Control &message);
  Status answerGet(Node from, Words words);
  Status answerPut(Node from, Words words);
  Status takeReply(Words words);
  Result<Array *> find(Index number, Index identity, Index elementBytes);
  Status refuse(Node to, Index id, const Error &error);

  World &world_;
  Index arraysMade_ = 0;
  std::map<Index, Array *> arrays_;
  Index lastRequest_ = 0;
  std::map<Index, Pending *> pending_; ///< By request.
  std::vector<transport::Control> arrived_;
};

} // namespace tutti::model::spmd
