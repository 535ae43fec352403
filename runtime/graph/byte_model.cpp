// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/graph/byte_model.h"

#include <algorithm>

namespace tutti::graph::model {

namespace {

bool isMixed(const Task &task, const Access &access) {
  const std::vector<std::size_t> own = bytesOf(access.region);
  for (const Access &other : task.accesses) {
    const std::vector<std::size_t> bytes = bytesOf(other.region);
    if (&other == &access || bytes.empty() || own.empty() || bytes.back() < own.front() ||
        own.back() < bytes.front()) {
      continue; // By their hulls.
    }
    if (other.kind != AccessKind::Reduction || bytes != own ||
        other.reduction != access.reduction) {
      return true;
    }
  }
  return false;
}

bool isOf(const Group *group, const Access &access) {
  return group != nullptr && group->begin == access.region.begin &&
         group->bytes == access.region.bytes && group->key == access.reduction;
}

bool mayGoTogether(const ByteAccess &a, const ByteAccess &b) {
  if (ordered(a.kind) != ordered(b.kind) || ordered(a.kind) == AccessKind::InOut) {
    return false;
  }
  return a.kind != AccessKind::Reduction || a.group == b.group;
}

bool isUnordered(AccessKind kind) {
  return kind == AccessKind::In || kind == AccessKind::Concurrent;
}

bool hasEnded(const Task &task) {
  return task.state == State::Gone || (task.state == State::Ended && !task.waits);
}

bool isHeldByGroup(const Task &task, std::size_t byte) {
  return std::ranges::any_of(task.groups, [&](const std::unique_ptr<Group> &group) {
    return group->covers(byte) && !group->isCombined &&
           group->members.front()->bytes[byte].isLinked;
  });
}

/// Whether nothing but accesses of this kind is left of a live one.
bool isOnly(const Task &task, AccessKind kind, std::size_t byte) {
  if (task.bytes[byte].kind == kind) {
    return true;
  }
  return hasEnded(task) && !isHeldByGroup(task, byte) &&
         std::ranges::all_of(task.children, [&](const Task *child) {
           const ByteAccess &access = child->bytes[byte];
           return !access.isLinked || !access.isLive || isOnly(*child, kind, byte);
         });
}

/// Whether siblings before `ancestor` keep an access of kind `kind` below it waiting.
bool isKeptBySiblings(const Task &ancestor, AccessKind kind, std::size_t byte) {
  const ByteAccess &own = ancestor.bytes[byte];
  bool isBehindOthers = false;
  for (std::size_t i = ancestor.number; i-- > 0;) {
    const ByteAccess &other = ancestor.parent->children[i]->bytes[byte];
    if (!other.isNamed || !other.isLive || (mayGoTogether(other, own) && !isBehindOthers)) {
      continue;
    }
    isBehindOthers = true; // What those wait for, `ancestor` waits for.
    if (!isUnordered(kind) || !isOnly(*ancestor.parent->children[i], kind, byte)) {
      return true;
    }
  }
  return false;
}

/// The groups of a domain that keep its child `task`, or what is below that, from `byte`.
bool isKeptByGroup(const Task &task, std::size_t byte) {
  return std::ranges::any_of(task.parent->groups, [&](const std::unique_ptr<Group> &group) {
    return group->covers(byte) && !group->isCombined && group->number <= task.number &&
           task.bytes[byte].group != group.get();
  });
}

bool isSatisfiedAt(const Task &task, std::size_t byte) {
  const AccessKind kind = ordered(task.bytes[byte].kind);
  for (const Task *at = &task;; at = at->parent) {
    if (isKeptBySiblings(*at, kind, byte) || isKeptByGroup(*at, byte)) {
      return false;
    }
    if (!at->bytes[byte].isLinked) {
      return true;
    }
  }
}

bool waitsAt(const Task &task, std::size_t byte) {
  const ByteAccess &access = task.bytes[byte];
  const bool reduces =
      access.kind == AccessKind::Reduction && !(access.group && access.group->key.readsOriginal);
  return access.isNamed && !access.isWeak && !reduces;
}

bool isComplete(const Group &group) {
  if (!group.isClosed || group.isCombined) {
    return false;
  }
  const bool isLive = std::ranges::any_of(group.members, [&](const Task *member) {
    return std::ranges::any_of(member->bytes, [&](const ByteAccess &access) {
      return access.group == &group && access.isLive;
    });
  });
  for (std::size_t byte = 0; byte < kBytes && !isLive; ++byte) {
    if (group.covers(byte) && !isSatisfiedAt(*group.members.front(), byte)) {
      return false;
    }
  }
  return !isLive;
}

void updateGroups(Task &task, std::vector<Group *> &combined) {
  for (Task *child : task.children) {
    updateGroups(*child, combined);
  }
  for (const std::unique_ptr<Group> &group : task.groups) {
    if (isComplete(*group)) {
      group->isCombined = true;
      combined.push_back(group.get());
    }
  }
}

bool isCovered(const Task &task, std::size_t byte) {
  const auto isLiveAt = [&](const Task *child) {
    return child->bytes[byte].isLinked && child->bytes[byte].isLive;
  };
  return std::ranges::any_of(task.children, isLiveAt) || isHeldByGroup(task, byte);
}

void updateLiveness(Task &task) {
  for (Task *child : task.children) {
    updateLiveness(*child);
  }
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    ByteAccess &access = task.bytes[byte];
    const bool isDone = hasEnded(task) || access.isReleased;
    access.isLive = access.isNamed && !(isDone && !isCovered(task, byte));
  }
}

/// Whether what a new child of the task does at the byte needs the token, whatever it is.
bool isTokenBelow(const Task &task, std::size_t byte) {
  if (!task.bytes[byte].isLive) {
    return false;
  }
  for (const Task *at = &task; at->bytes[byte].isWeak; at = at->parent) {
    if (at->bytes[byte].kind == AccessKind::Commutative) {
      return true;
    }
    if (!at->bytes[byte].isLinked) {
      return false;
    }
  }
  return false;
}

bool reduces(const Task &task, const Access &access) {
  return access.kind == AccessKind::Reduction && !isMixed(task, access) &&
         std::ranges::none_of(bytesOf(access.region),
                              [&](std::size_t byte) { return isTokenBelow(*task.parent, byte); });
}

} // namespace

std::vector<std::size_t> bytesOf(const Region &region) {
  std::vector<std::uint64_t> starts = {region.begin};
  for (const tutti_dim &dim : region.dimensions) {
    std::vector<std::uint64_t> more;
    for (const std::uint64_t start : starts) {
      for (std::int64_t i = 0; i < dim.count; ++i) {
        more.push_back(start + static_cast<std::uint64_t>(i * dim.stride));
      }
    }
    starts = more;
  }
  std::vector<std::size_t> bytes;
  for (const std::uint64_t start : starts) {
    for (std::uint64_t i = 0; i < region.bytes; ++i) {
      bytes.push_back(start + i - kBegin);
    }
  }
  std::ranges::sort(bytes);
  return bytes;
}

void name(Task &task) {
  task.bytes = {};
  for (const Access &access : task.accesses) {
    const bool isInOut = access.kind == AccessKind::Reduction && !reduces(task, access);
    const AccessKind kind = isInOut ? AccessKind::InOut : access.kind;
    for (const std::size_t byte : bytesOf(access.region)) {
      ByteAccess &at = task.bytes[byte];
      if (at.isNamed && at.kind != kind) {
        at.kind = AccessKind::InOut;
      } else {
        at.kind = kind;
      }
      at.isWeak = access.isWeak && (!at.isNamed || at.isWeak);
      at.isNamed = at.isLive = true;
      at.isLinked = task.parent->bytes[byte].isLive;
    }
  }
}

void append(Task &task) {
  Task &domain = *task.parent;
  task.number = domain.children.size();
  domain.children.push_back(&task);
  for (const Access &access : task.accesses) {
    const std::size_t first = access.region.begin - kBegin;
    if (access.kind != AccessKind::Reduction || access.region.bytes == 0 ||
        task.bytes[first].kind != AccessKind::Reduction) {
      continue;
    }
    const ByteAccess &above = domain.bytes[first];
    Group *joined = above.isLive && isOf(above.group, access) ? above.group : nullptr;
    for (const std::unique_ptr<Group> &group : domain.groups) {
      if (joined == nullptr && !group->isClosed && isOf(group.get(), access)) {
        joined = group.get();
      }
    }
    if (joined == nullptr) {
      domain.groups.push_back(std::make_unique<Group>(
          Group{access.region.begin, access.region.bytes, access.reduction, {}, task.number}));
      joined = domain.groups.back().get();
    }
    if (joined != above.group) {
      joined->members.push_back(&task);
    }
    for (const std::size_t byte : bytesOf(access.region)) {
      task.bytes[byte].group = joined;
    }
  }
  for (const std::unique_ptr<Group> &group : domain.groups) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      group->isClosed |=
          group->covers(byte) && task.bytes[byte].isNamed && task.bytes[byte].group != group.get();
    }
  }
}

void closeGroups(Task &parent) {
  for (const std::unique_ptr<Group> &group : parent.groups) {
    group->isClosed = true;
  }
}

std::vector<Group *> update(Task &root) {
  std::vector<Group *> combined;
  std::size_t known = 0;
  do {
    known = combined.size();
    updateLiveness(root);
    updateGroups(root, combined);
  } while (combined.size() > known);
  return combined;
}

bool isSatisfied(const Task &task) {
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (waitsAt(task, byte) && !isSatisfiedAt(task, byte)) {
      return false;
    }
  }
  return true;
}

bool isAfter(const Task &task, const Task &domain, const Group &group) {
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (!waitsAt(task, byte) || !group.covers(byte)) {
      continue;
    }
    const Task *at = &task;
    while (at->parent != &domain && at->parent != nullptr && at->bytes[byte].isLinked) {
      at = at->parent;
    }
    if (at->parent == &domain && group.number <= at->number && at->bytes[byte].group != &group) {
      return true;
    }
  }
  return false;
}

std::set<std::size_t> tokensOf(const Task &task) {
  std::set<std::size_t> tokens;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (!task.bytes[byte].isNamed || task.bytes[byte].isWeak) {
      continue;
    }
    for (const Task *at = &task; at == &task || at->bytes[byte].isWeak; at = at->parent) {
      if (at->bytes[byte].kind == AccessKind::Commutative) {
        tokens.insert(byte);
      }
      if (!at->bytes[byte].isLinked) {
        break;
      }
    }
  }
  return tokens;
}

std::set<std::size_t> heldFrom(const Task &task, const Task &holder) {
  std::set<std::size_t> held;
  for (const Task *at = &task; at != nullptr; at = at->parent) {
    if (at == &holder) {
      return held;
    }
  }
  const std::set<std::size_t> own = tokensOf(task);
  for (const std::size_t byte : tokensOf(holder)) {
    if (holder.holdsTokens && holder.bytes[byte].isLive && own.contains(byte)) {
      held.insert(byte);
    }
  }
  return held;
}

} // namespace tutti::graph::model
