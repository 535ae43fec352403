// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values of expressions: what is there gives a value, what is not is noted.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>

namespace tutti::model::fragments {

class Calculator;
class Data;
class Failures;
class Outbox;
class Places;

/// Values of expressions: what is there gives a value, what is not is noted.
///
/// Threading: externally synchronised.
class Evaluator {
public:
  Evaluator(const Program &program, Failures &failures, Calculator &calculator, Data &data,
            Places &places, Outbox &outbox)
      : program_(program), failures_(failures), calculator_(calculator), data_(data),
        places_(places), outbox_(outbox) {}

  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  /// Whether the node names a data fragment.
  bool isData(std::int32_t node, Frame *frame) const;

  /// The same without finding the data fragment itself.
  bool resolveName(std::int32_t node, Frame *frame, Ask &ask, Name &out);

  /// The data fragment that a node names; null if something is missing.
  Entry *resolve(std::int32_t node, Frame *frame, Ask &ask);

  /// False if something is missing or wrong, which `ask` says.
  bool evaluate(std::int32_t node, Frame *frame, Ask &ask, Value &out);

  /// The value of an expression of ints and counters, which most indices are; false with nothing
  /// done if it is more than that.
  bool calculateIndex(std::int32_t node, Frame *frame, const Ask &ask, std::int32_t &out) const;

  bool evaluateInt(std::int32_t node, Frame *frame, Ask &ask, std::int32_t &out);

  /// To the type of a parameter. False, and said, if it has none such.
  bool convert(Value &value, char type, std::int32_t statement, std::size_t argument,
               std::int32_t node, Frame *frame);

  /// Whether no data fragment has to be known for its value.
  bool isPlain(std::int32_t node, Frame *frame) const;

  bool isPlain(const Rule &rule, Frame *frame) const;

private:
  bool evaluateSlot(std::int32_t node, Frame *frame, Ask &ask, Value &out);
  bool evaluateShort(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out);
  bool evaluateBinary(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out);

  const Program &program_;
  Failures &failures_;
  Calculator &calculator_;
  Data &data_;
  Places &places_;
  Outbox &outbox_;
};

} // namespace tutti::model::fragments
