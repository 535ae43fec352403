// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/members.h"

#include <algorithm>

namespace tutti::transport {

Result<Rank> positionAmong(std::span<const Rank> members, Rank own, Rank size) {
  for (const Rank member : members) {
    if (member < 0 || member >= size) {
      return failure(ErrorCode::InvalidArgument, "rank {} in a job of {}", member, size);
    }
  }
  const auto found = std::find(members.begin(), members.end(), own);
  if (found == members.end()) {
    return failure(ErrorCode::InvalidArgument, "rank {} is not a member of the group", own);
  }
  return static_cast<Rank>(found - members.begin());
}

} // namespace tutti::transport
