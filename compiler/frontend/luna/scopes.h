// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which name stands for what, from place to place.
#pragma once

#include "compiler/frontend/luna/ast.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace tutti::compiler::luna {

class Scopes {
public:
  void enter() { scopes_.emplace_back(); }

  void leave() { scopes_.pop_back(); }

  /// Returns what the innermost scope had of this name, which stays; null if it had none.
  Declaration *declare(Declaration *declaration) {
    const auto [place, isNew] = scopes_.back().try_emplace(declaration->name.text, declaration);
    return isNew ? nullptr : place->second;
  }

  /// As `declare`, in place of one that is there.
  void replace(Declaration *declaration) {
    scopes_.back().insert_or_assign(declaration->name.text, declaration);
  }

  Declaration *find(std::string_view name) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      if (const auto found = scopes_[i].find(name); found != scopes_[i].end()) {
        return found->second;
      }
    }
    return nullptr;
  }

private:
  std::vector<std::unordered_map<std::string_view, Declaration *>> scopes_;
};

} // namespace tutti::compiler::luna
