// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/calls.h"

#include "base/format.h"
#include "runtime/trace/json_text.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace tutti::trace {

std::string asText(std::span<const CallReport> calls) {
  constexpr std::size_t kMost = 40;
  std::vector<const CallReport *> sorted;
  for (const CallReport &call : calls) {
    sorted.push_back(&call);
  }
  std::ranges::sort(sorted, std::greater{}, &CallReport::seconds);
  std::string out;
  for (const CallReport *call : std::span(sorted).first(std::min(sorted.size(), kMost))) {
    fmt::format_to(std::back_inserter(out), "tutti:   {:<32} {:>8} calls{}, {:.3f} s\n",
                   call->source, call->calls,
                   call->onDevices > 0 ? fmt::format(", {} on devices", call->onDevices) : "",
                   call->seconds);
  }
  if (sorted.size() > kMost) {
    fmt::format_to(std::back_inserter(out), "tutti:   and {} more places of calls\n",
                   sorted.size() - kMost);
  }
  return out;
}

std::string withCalls(std::string report, std::span<const CallReport> calls) {
  if (calls.empty()) {
    return report;
  }
  report.back() = ','; // The brace comes behind the calls.
  std::string all;
  for (const CallReport &call : calls) {
    fmt::format_to(std::back_inserter(all),
                   "{}{{\"source\":{},\"calls\":{},\"onDevices\":{},\"seconds\":{:.9f}}}",
                   all.empty() ? "" : ",", quoted(call.source), call.calls, call.onDevices,
                   call.seconds);
  }
  return report + "\"calls\":[" + all + "]}";
}

} // namespace tutti::trace
