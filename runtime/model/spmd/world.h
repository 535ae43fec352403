// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One node of a program that every rank runs: who executes, groups of nodes, and what is under way
/// between them.
#pragma once

#include "abi/xmp.h"
#include "base/result.h"
#include "runtime/distribution/nodes.h"
#include "runtime/model/spmd/mover.h"
#include "runtime/model/spmd/progress.h"
#include "runtime/trace/counters.h"
#include "runtime/transport/transport.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::model::spmd {

using distribution::Index;
using distribution::Node;

/// Nodes in an order; the first has position 0.
using NodeSet = std::vector<Node>;

/// What a node needs of the process that it is in.
struct Host {
  std::function<void *(std::size_t bytes)> allocate; ///< Zeroed; null if there is no memory.
  std::function<void(void *memory)> release;
  /// Makes memory ready to be read, or written, by others than this thread.
  std::function<void(const void *memory, std::size_t bytes, bool write)> open;
  /// Before all of it is written: what it holds is not needed any more.
  std::function<void(void *memory, std::size_t bytes)> renew;
  std::function<bool()> hasDevices; ///< Empty: no.
};

class Copies;
class OneSided;
struct Array;

/// Something between nodes that has begun: it ends by being asked again and again.
class Operation {
public:
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;
  virtual ~Operation() = default;

  /// Goes on as far as it can without waiting; whether it has ended.
  virtual Result<bool> advance() = 0;

protected:
  Operation() = default;
};

/// Threading: confined to the thread that runs `main`.
/// Ownership: borrows the endpoint.
class World {
public:
  /// `ending` is a group of all nodes, for `close` alone: no directive is taken for the end.
  World(transport::Endpoint &endpoint, std::unique_ptr<transport::Group> ending, Host host);
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World();

  Node me() const { return endpoint_.rank(); }

  transport::Endpoint &endpoint() { return endpoint_; }

  const Host &host() const { return host_; }

  /// All nodes of the job.
  const NodeSet &everybody() const { return executing_.front(); }

  /// The nodes that execute what this one does now.
  const NodeSet &executing() const { return executing_.back(); }

  /// The number of sets on the stack.
  std::size_t depth() const { return executing_.size(); }

  void push(NodeSet set) { executing_.push_back(std::move(set)); }

  /// Back to a depth that was.
  void popTo(std::size_t depth);

  /// This node's position in the set; none if it is not a member.
  std::optional<std::size_t> positionIn(const NodeSet &set) const;

  /// The group of a set that has this node; made when it is first asked for, which is collective.
  Result<transport::Group *> group(const NodeSet &set);

  /// Until an operation of a group has ended.
  Status wait(transport::Group &group, transport::Request request);

  /// Until the operation has ended, or later: until `finish` is called with the id.
  Status complete(std::unique_ptr<Operation> operation, std::optional<std::int64_t> async);

  /// Ends all that has begun under the id; ids that are not known mean nothing.
  Status finish(std::int64_t async);

  /// Whether nothing is under way under the id any more.
  Result<bool> hasEnded(std::int64_t async);

  /// The plan of that content; `make` finds out what moves where there is none yet.
  Result<Plan *> plan(std::vector<Index> content,
                      const std::function<Result<distribution::Move>()> &make);

  OneSided &oneSided() { return *oneSided_; }

  Copies &copies() { return *copies_; }

  /// The program's loops that pack on devices, for words of 8, 4 and 1 bytes.
  void setPacking(std::array<tutti_xmp_packing, 3> loops) { packing_ = loops; }

  bool packsOnDevices() const { return packing_.front() && host_.hasDevices && host_.hasDevices(); }

  /// That of words of so many bytes.
  tutti_xmp_packing packing(std::size_t bytes) const {
    return packing_[bytes == 8 ? 0 : bytes == 4 ? 1 : 2];
  }

  /// Arrays by the pointers of the program that lead to their memory: each file that aligns a
  /// pointer has one.
  std::multimap<void **, Array *> &pointers() { return pointers_; }

  trace::Counters &counters() { return counters_; }

  Progress &progress() { return progress_; }

  /// Serves the others until all have called it, then gives groups back; before the endpoint
  /// closes.
  Status close();

private:
  Status drive(Operation &operation);

  /// What a node does while it waits.
  Status idle();

  transport::Endpoint &endpoint_;
  std::unique_ptr<transport::Group> ending_;
  Host host_;
  std::vector<NodeSet> executing_;
  std::map<NodeSet, std::unique_ptr<transport::Group>> groups_;
  std::map<std::vector<Index>, std::unique_ptr<Plan>> plans_;
  std::vector<std::pair<std::int64_t, std::unique_ptr<Operation>>> underWay_;
  std::unique_ptr<OneSided> oneSided_;
  std::unique_ptr<Copies> copies_;
  std::array<tutti_xmp_packing, 3> packing_{};
  std::multimap<void **, Array *> pointers_;
  trace::Counters counters_;
  Progress progress_;
};

} // namespace tutti::model::spmd
