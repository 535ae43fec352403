// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `TaskGraph` means, byte by byte and from the definition, for a memory of a few bytes. Slow,
/// and without a thought of chains: every question looks at all tasks.
///
/// 1. A task's access to a byte is the union of those it names: equal ones stay what they are,
/// others
///    are an inout together; weak if all are. `out` is `inout`. A reduction that overlaps anything
///    else of its task, or lies below a weak commutative access through weak ones only, is an inout
///    as a whole.
/// 2. An access is *linked* at a byte if the parent's access to it is live when the task is added.
/// One
///    that is not linked is ordered among siblings alone.
/// 3. An access is live until its task has ended or released the byte, no linked access of a child
/// to
///    it is live, and no group of its children's reductions that is linked there is uncombined.
/// 4. Siblings exclude one another at a byte by the table of accesses. For a task in a domain
/// below,
///    its ancestor there stands for it, as long as the byte is linked all the way; but what reads
///    below a weak inout does not wait for siblings of that, if all that they wait for and they
///    themselves only read either, and so with concurrent. The access of a task that has ended only
///    reads if that is its kind, or if all linked accesses of children to it that are live only
///    read; not as long as a group that is linked there is uncombined. A strong access waits for
///    live accesses before it that exclude it; weak ones and reductions wait for nothing.
/// 5. A reduction joins the group of the parent's access if that reduces the same region by the
/// same
///    operation, else the last group of its domain if that does and is open, else it makes one. An
///    access of another kind, or of another group, closes a group that it overlaps; so do the end
///    of the parent's body, its release of anything, and `closeDomain`. A closed group without live
///    members is combined as soon as nothing excludes its first member on any of its bytes. Until
///    then it excludes what comes after it, on all of them.
/// 6. A strong access needs the token of a byte if it is commutative itself, or is linked to a weak
///    commutative access through weak accesses only. A byte has one token in the whole program. A
///    task holds the tokens that it needs from readiness on, each until it is not live there; of
///    others, only its descendants may take them meanwhile.
#pragma once

#include "runtime/graph/task_graph.h"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace tutti::graph::model {

inline constexpr std::size_t kBytes = 40;
inline constexpr std::uint64_t kBegin = 1000;

struct Task;

struct Group {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  ReductionKey key;
  std::vector<Task *> members;
  std::size_t number = 0; ///< Children of the domain that were there before.
  bool isClosed = false;
  bool isCombined = false;
  ReductionGroup *actual = nullptr;

  const Task *parent() const;

  bool covers(std::size_t byte) const { return kBegin + byte - begin < bytes; }
};

struct ByteAccess {
  bool isNamed = false;
  AccessKind kind = AccessKind::In;
  bool isWeak = false;
  bool isLinked = false;
  bool isReleased = false;
  bool isLive = false;
  Group *group = nullptr;
};

enum class State { Created, Ready, Running, Waiting, Ended, Gone };

struct Task {
  Node node;
  Task *parent = nullptr;
  std::size_t number = 0; ///< Among its siblings.
  int depth = 0;
  bool waits = false; ///< Releases nothing before its descendants are gone.
  bool holdsTokens = false;
  State state = State::Created;
  std::vector<Task *> children;
  std::vector<Access> accesses;
  std::array<ByteAccess, kBytes> bytes;
  std::vector<std::unique_ptr<Group>> groups; ///< Of its domain.
};

inline AccessKind ordered(AccessKind kind) {
  return kind == AccessKind::Out ? AccessKind::InOut : kind;
}

inline const Task *Group::parent() const { return members.front()->parent; }

/// Bytes of a region, as indices.
std::vector<std::size_t> bytesOf(const Region &region);

/// Fills in what `task` names, as if it was added to its parent now.
void name(Task &task);

/// Adds it after all other children: makes it a member of groups, and closes others.
void append(Task &task);

void closeGroups(Task &parent);

/// Brings liveness and groups of all tasks below up to date; returns the groups combined by that.
std::vector<Group *> update(Task &root);

bool isSatisfied(const Task &task);

/// Whether `task` comes after the group, on bytes of both.
bool isAfter(const Task &task, const Task &domain, const Group &group);

/// The bytes whose tokens it needs.
std::set<std::size_t> tokensOf(const Task &task);

/// Those that it holds, and keeps `task` from.
std::set<std::size_t> heldFrom(const Task &task, const Task &holder);

} // namespace tutti::graph::model
