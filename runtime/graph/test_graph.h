// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A graph with named tasks for tests: remembers what it was told, in order.
#pragma once

#include "runtime/graph/task_graph.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace tutti::graph {

inline Access named(AccessKind kind, std::uint64_t begin, std::uint64_t bytes) {
  return {{begin, bytes, {}}, kind, false, {}};
}

inline Access in(std::uint64_t begin, std::uint64_t bytes) {
  return named(AccessKind::In, begin, bytes);
}

inline Access out(std::uint64_t begin, std::uint64_t bytes) {
  return named(AccessKind::Out, begin, bytes);
}

inline Access inOut(std::uint64_t begin, std::uint64_t bytes) {
  return named(AccessKind::InOut, begin, bytes);
}

inline Access concurrent(std::uint64_t begin, std::uint64_t bytes) {
  return named(AccessKind::Concurrent, begin, bytes);
}

inline Access commutative(std::uint64_t begin, std::uint64_t bytes) {
  return named(AccessKind::Commutative, begin, bytes);
}

inline Access reduction(std::uint64_t begin, std::uint64_t bytes, std::uint64_t operation = 1) {
  return {{begin, bytes, {}}, AccessKind::Reduction, false, {operation, 1}};
}

inline Access weak(Access access) {
  access.isWeak = true;
  return access;
}

/// Threading: confined to one thread.
class TestGraph : private Sink {
public:
  TestGraph() { nodes_["root"]; }

  using Accesses = std::initializer_list<Access>;

  void add(const std::string &name, const std::string &parent, Accesses accesses) {
    Node &node = nodes_[name];
    names_[&node] = name;
    if (graph_.add(node, nodes_.at(parent), {accesses.begin(), accesses.size()}, *this)) {
      ready_.push_back(name);
    }
  }

  void add(const std::string &name, Accesses accesses) { add(name, "root", accesses); }

  void end(const std::string &name) { graph_.end(nodes_.at(name), *this); }

  bool release(const std::string &name, Accesses accesses) {
    return graph_.release(nodes_.at(name), {accesses.begin(), accesses.size()}, *this);
  }

  void closeDomain(const std::string &name) { graph_.closeDomain(nodes_.at(name), *this); }

  void forget(const std::string &name) {
    graph_.forget(nodes_.at(name), *this);
    nodes_.erase(name);
  }

  ReductionGroup *reductionOf(const std::string &name, std::uint64_t byte) const {
    return graph_.reductionOf(nodes_.at(name), byte);
  }

  bool isReady(const std::string &name) const {
    return std::find(ready_.begin(), ready_.end(), name) != ready_.end();
  }

  /// Tasks in the order in which they have become ready, "combine" for each combination.
  const std::vector<std::string> &ready() const { return ready_; }

  std::size_t combined() const {
    return static_cast<std::size_t>(std::count(ready_.begin(), ready_.end(), "combine"));
  }

  TaskGraph::Size size() const { return graph_.size(); }

private:
  void ready(Node &node) override { ready_.push_back(names_.at(&node)); }

  void combine(ReductionGroup &) override { ready_.push_back("combine"); }

  TaskGraph graph_;
  std::map<std::string, Node> nodes_;
  std::map<const Node *, std::string> names_;
  std::vector<std::string> ready_;
};

} // namespace tutti::graph
