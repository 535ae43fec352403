// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the iterations of one rank's part of a launch print, and whether one of them ends the
/// program. Only rank 0 has the program's streams: other ranks keep the text for it.
#pragma once

#include "base/mutex.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::exec {

/// What a part has printed, and with which status it has called `exit`.
struct Printed {
  std::vector<std::byte> text; ///< As `PartOutput` keeps it.
  std::optional<std::int32_t> status;
};

/// Writes the text of a part to this process's standard output and standard error, in the order in
/// which each thread has printed it.
void writeText(std::span<const std::byte> text);

/// Order:     one per launch that prints and rank with a part of it.
/// Threading: `streamFor` and `end` from all threads of the team.
/// Cost:      all text is kept until the part has ended.
class PartOutput {
public:
  /// `isDirect`: nothing is kept, what is printed goes where the program prints.
  explicit PartOutput(bool isDirect);
  ~PartOutput();

  PartOutput(const PartOutput &) = delete;
  PartOutput &operator=(const PartOutput &) = delete;

  /// Where a thread writes what is meant for `stream`, standard output or standard error. The text
  /// of each thread stays in one piece, ordered by `piece` and `thread`.
  std::FILE *streamFor(std::int64_t piece, std::int32_t thread, std::FILE *stream);

  /// Notes that an iteration has called `exit`. The first one counts.
  void end(std::int32_t status);

  /// All that was printed. Order: once, behind the part.
  Printed take();

  /// Writes what is kept to this process's own streams because it is about to be aborted. May be
  /// called by a signal's handler.
  void writeAtAbort();

private:
  struct Voice;
  class Stream;

  using Voices = std::map<std::pair<std::int64_t, std::int32_t>, std::unique_ptr<Voice>>;

  const bool isDirect_;
  Mutex mutex_;
  Voices voices_ TUTTI_GUARDED_BY(mutex_);
  std::optional<std::int32_t> status_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::exec
