// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/task_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::model::tasks {

namespace {

class Record final : public graph::Sink {
public:
  void ready(graph::Node &node) override { ready_.push_back(&Task::of(node)); }

  void combine(graph::ReductionGroup & /*group*/) override { ++combined_; }

  std::vector<Task *> ready_;
  int combined_ = 0;
};

graph::Access access(std::uint64_t begin, graph::AccessKind kind) {
  graph::Access access;
  access.region = {begin, 8, {}};
  access.kind = kind;
  return access;
}

TEST(TaskOrderTest, LeavesEndsToWhoHasTheGraph) {
  TaskOrder order;
  Record record;
  Task root;
  Task adds;
  Task writes;
  Task reads;
  const auto add = [&](Task &task, std::uint64_t begin, graph::AccessKind kind) {
    task.setParent(root);
    const graph::Access named = access(begin, kind);
    return order.add(task, root.node, {&named, 1}, record);
  };
  EXPECT_TRUE(add(adds, 0x1000, graph::AccessKind::Reduction));
  EXPECT_TRUE(add(writes, 0x2000, graph::AccessKind::Out));
  EXPECT_FALSE(add(reads, 0x2000, graph::AccessKind::In));

  const graph::ReductionGroup *group =
      order.reductionOf(adds, 0x1000, [&](graph::ReductionGroup & /*group*/) {
        EXPECT_FALSE(order.tryLeave(writes, nullptr, record));
      });
  EXPECT_NE(group, nullptr);
  EXPECT_TRUE(record.ready_.empty());
  EXPECT_TRUE(order.hasEnded());

  const auto none = [](Task & /*task*/) -> graph::Node * { return nullptr; };
  engine::Work *first = nullptr;
  ASSERT_TRUE(order.takeEnded(none, record, first));
  EXPECT_EQ(first, &writes.work);
  EXPECT_EQ(first->next, nullptr);
  EXPECT_EQ(record.ready_, std::vector<Task *>{&reads});
  EXPECT_FALSE(order.hasEnded());
  EXPECT_FALSE(order.takeEnded(none, record, first));

  EXPECT_TRUE(order.tryLeave(reads, nullptr, record));
  order.leave(adds, nullptr, record);
  order.closeDomain(root, record);
  EXPECT_EQ(record.combined_, 1);
  order.forget(root.node, record);
}

} // namespace

} // namespace tutti::model::tasks
