// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rules `req_count`: how often a data fragment is asked for.
#pragma once

#include "runtime/model/fragments/ask.h"
#include "runtime/model/fragments/program.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tutti::model::fragments {

class Data;
class Evaluator;
class Failures;
class Unfolding;

/// Rules `req_count`: how often a data fragment is asked for.
///
/// Threading: externally synchronised.
class RequestLimits {
public:
  RequestLimits(const Program &program, Failures &failures, Evaluator &evaluator, Data &data,
                Unfolding &unfolding)
      : program_(program), failures_(failures), evaluator_(evaluator), data_(data),
        unfolding_(unfolding) {}

  RequestLimits(const RequestLimits &) = delete;
  RequestLimits &operator=(const RequestLimits &) = delete;

  /// The call does not wait for the number, which may follow from what the call makes. What a rule
  /// asks for is none of the requests: mostly its call asks for the same, as an index, say.
  void startLimit(std::int32_t statement, std::int32_t rule, Frame *frame);

  void stepLimit(Activity &activity);

private:
  bool takeLimit(Activity &activity);
  void guard(const Activity &activity, const Ask &ask);
  void unguard(const std::vector<Entry *> &guarded);

  const Program &program_;
  Failures &failures_;
  Evaluator &evaluator_;
  Data &data_;
  Unfolding &unfolding_;
  /// What rules ask for that wait for something, by activity.
  std::unordered_map<const Activity *, std::vector<Entry *>> guarded_;
};

} // namespace tutti::model::fragments
