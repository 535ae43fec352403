// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Operations on values.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/value.h"

#include <cstdint>

namespace tutti::model::fragments {

class Failures;

/// Operations on values.
///
/// Threading: externally synchronised.
class Calculator {
public:
  Calculator(const Program &program, Failures &failures) : program_(program), failures_(failures) {}

  Calculator(const Calculator &) = delete;
  Calculator &operator=(const Calculator &) = delete;

  /// Whether a condition holds; false if the value is none.
  bool truth(const Value &value, const tutti_luna_node &node, Ask &ask, bool &out);

  /// Of an operation with one operand.
  bool cast(const tutti_luna_node &node, Value value, Ask &ask, Value &out);

  /// Of one with two.
  bool calculate(const tutti_luna_node &node, const Value &a, const Value &b, Ask &ask, Value &out);

private:
  bool calculateInts(const tutti_luna_node &node, std::int32_t a, std::int32_t b, Ask &ask,
                     Value &out);
  bool calculateReals(const tutti_luna_node &node, double a, double b, Ask &ask, Value &out);

  const Program &program_;
  Failures &failures_;
};

} // namespace tutti::model::fragments
