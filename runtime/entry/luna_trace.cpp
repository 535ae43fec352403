// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/luna_trace.h"

#include "base/format.h"
#include "base/log.h"
#include "runtime/trace/json_text.h"

#include <cstdio>

namespace tutti::entry::luna {

namespace {

std::string sourceOf(const model::fragments::Program &program, std::int32_t statement) {
  return fmt::format("{} {}", program.at(statement), program.nameOf(statement));
}

} // namespace

std::vector<trace::CallReport> reportOf(const model::fragments::Program &program,
                                        std::span<const model::fragments::CallCount> counts) {
  std::vector<trace::CallReport> calls;
  std::int32_t statement = 0;
  for (const model::fragments::CallCount &count : counts) {
    if (count.calls > 0) {
      calls.push_back({sourceOf(program, statement), count.calls, count.onDevices, count.seconds});
    }
    ++statement;
  }
  return calls;
}

void writeTrace(const std::string &path, const model::fragments::Program &program,
                std::span<const model::fragments::CallEvent> events, std::int32_t rank) {
  const std::string name = fmt::format("{}.{}", path, rank);
  std::FILE *file = std::fopen(name.c_str(), "w");
  bool isWritten = file != nullptr;
  std::string text;
  for (const model::fragments::CallEvent &event : events) {
    // Not by printf: the program may have chosen another decimal point.
    text =
        fmt::format("{}{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},"
                    "\"ts\":{:.3f},\"dur\":{:.3f}}}",
                    text.empty() ? "[\n" : ",\n", trace::quoted(sourceOf(program, event.statement)),
                    event.isOnDevice ? "device" : "core", rank, event.worker, 1e6 * event.begin,
                    1e6 * event.seconds);
    isWritten = isWritten && std::fputs(text.c_str(), file) >= 0;
  }
  isWritten = isWritten && std::fputs(events.empty() ? "[]\n" : "\n]\n", file) >= 0;
  if (file) {
    isWritten = std::fclose(file) == 0 && isWritten;
  }
  if (!isWritten) {
    log::warn("TUTTI_TRACE: {} cannot be written", name);
  }
}

} // namespace tutti::entry::luna
