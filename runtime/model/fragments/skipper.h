// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations that do not concern this rank, and are not unfolded here.
#pragma once

#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/state_settings.h"

#include <cstdint>

namespace tutti::model::fragments {

class Evaluator;
class Failures;
class Frames;
class Places;
class Ropes;

/// Iterations that do not concern this rank, and are not unfolded here.
///
/// Threading: externally synchronised.
class Skipper {
public:
  Skipper(const Program &program, const StateSettings &settings, Counts &counts, Failures &failures,
          Evaluator &evaluator, Frames &frames, Ropes &ropes, Places &places)
      : program_(program), settings_(settings), counts_(counts), failures_(failures),
        evaluator_(evaluator), frames_(frames), ropes_(ropes), places_(places) {}

  Skipper(const Skipper &) = delete;
  Skipper &operator=(const Skipper &) = delete;

  /// Goes on to the next iteration that is to be unfolded here; false if there is none, or if that
  /// is far away.
  bool skipOthers(Activity &activity);

private:
  bool isSkippable(const Activity &activity);
  bool isSkippable(std::int32_t statement, Frame *frame);
  bool isOurs(const Activity &activity);

  const Program &program_;
  const StateSettings &settings_;
  Counts &counts_;
  Failures &failures_;
  Evaluator &evaluator_;
  Frames &frames_;
  Ropes &ropes_;
  Places &places_;
};

} // namespace tutti::model::fragments
