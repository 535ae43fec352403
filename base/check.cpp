// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::detail {

namespace {

/// The path from the repository's root on, wherever the tree was built.
std::string_view shortPath(std::string_view path) {
  for (const std::string_view folder : {"/runtime/", "/base/", "/compiler/", "/driver/"}) {
    if (const auto at = path.rfind(folder); at != std::string_view::npos) {
      return path.substr(at + 1);
    }
  }
  return path;
}

} // namespace

void writeFailedCheck(const CheckSite &site, fmt::string_view format, fmt::format_args args) {
  std::array<char, 2048> message;
  const auto end = fmt::vformat_to_n(message.data(), message.size(), format, args);
  const std::string_view text(message.data(), std::min(end.size, message.size()));
  log::fatal("{}:{}: check '{}' failed{}{}", shortPath(site.file), site.line, site.condition,
             text.empty() ? "" : ": ", text);
}

} // namespace tutti::detail
