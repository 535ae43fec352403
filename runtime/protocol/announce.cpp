// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/announce.h"

#include "base/check.h"

#include <memory>
#include <utility>

namespace tutti::protocol {

using namespace exec;

namespace {

/// What a launch says about what it follows.
enum class Following : std::uint32_t {
  Nothing,
  Known, ///< Only the id comes.
  New,
};

void addLists(Writer &writer, const TouchLists &lists) {
  writer.add(lists.total).add(lists.index).add(lists.objects.size());
  for (const TouchedObject &object : lists.objects) {
    writer.add(object.object);
    for (const RangeSet &block : object.blocks) {
      writer.add(block);
    }
    writer.add(object.writes.size());
    for (const RangeSet &block : object.writes) {
      writer.add(block);
    }
  }
}

TouchLists takeLists(Reader &reader) {
  TouchLists lists;
  lists.total = reader.take<std::int64_t>();
  lists.index = reader.takeRanges();
  lists.objects.resize(reader.take<std::size_t>());
  for (TouchedObject &object : lists.objects) {
    object.object = reader.take<Range>();
    for (std::size_t block = 0; block < Blocks(lists.total).count(); ++block) {
      object.blocks.push_back(reader.takeRanges());
    }
    object.writes.resize(reader.take<std::size_t>());
    for (RangeSet &block : object.writes) {
      block = reader.takeRanges();
    }
  }
  return lists;
}

void addFollowed(Writer &writer, const std::shared_ptr<const Followed> &followed,
                 RecentlyFollowed &recent) {
  if (!followed) {
    writer.add(Following::Nothing);
    return;
  }
  const bool isKnown = recent.find(followed->id()) != nullptr;
  writer.add(isKnown ? Following::Known : Following::New).add(followed->id());
  if (!isKnown) {
    const Followed::Content &content = followed->content();
    writer.add(content.words).add(content.bytes).add(content.allocations).add(content.objects);
    addLists(writer, content.lists);
  }
  recent.use(followed);
}

std::shared_ptr<const Followed> takeFollowed(Reader &reader, RecentlyFollowed &recent) {
  const auto following = reader.take<Following>();
  if (following == Following::Nothing) {
    return nullptr;
  }
  const auto id = reader.take<std::uint64_t>();
  std::shared_ptr<const Followed> followed = recent.find(id);
  TUTTI_CHECK((following == Following::Known) == (followed != nullptr),
              "agree with rank 0 on whether what launches follow is known ({})", id);
  if (!followed) {
    Followed::Content content;
    content.words = reader.takeRanges();
    content.bytes = reader.takeVector<std::byte>();
    content.allocations = reader.takeVector<Allocation>();
    content.objects = reader.takeRanges();
    content.lists = takeLists(reader);
    followed = std::make_shared<const Followed>(id, std::move(content));
  }
  recent.use(followed);
  return followed;
}

} // namespace

std::vector<std::byte> encode(const Launch &launch, RecentlyFollowed &recent) {
  Writer writer(kLaunch);
  writer.add(launch.sequence)
      .add(launch.region->id)
      .add(launch.captures)
      .add(launch.values)
      .add(launch.blocks)
      .add(launch.allocations)
      .add(launch.everywhere)
      .add(launch.arrays)
      .add(launch.total)
      .add(launch.first)
      .add(launch.piece)
      .add(launch.shares)
      .add(launch.onlyShare)
      .add(launch.takesHulls)
      .add(launch.widening)
      .add(launch.isTimed)
      .add(launch.portion)
      .add(launch.events)
      .add(launch.parcel);
  addFollowed(writer, launch.followed, recent);
  return writer.bytes();
}

Launch decodeLaunch(Reader &reader, RegionOf regionOf, RecentlyFollowed &recent) {
  Launch launch;
  launch.sequence = reader.take<Sequence>();
  const auto id = reader.take<std::uint64_t>();
  launch.region = regionOf(id);
  TUTTI_CHECK(launch.region, "find region {:#x}", id);
  launch.captures = reader.takeVector<std::uint64_t>();
  launch.values = reader.takeVector<std::uint64_t>();
  launch.blocks = reader.takeVector<BlockValue>();
  launch.allocations = reader.takeVector<Allocation>();
  launch.everywhere = reader.takeVector<Range>();
  launch.arrays = reader.takeVector<Range>();
  launch.total = reader.take<std::int64_t>();
  launch.first = reader.take<std::int64_t>();
  launch.piece = reader.take<std::int64_t>();
  launch.shares = reader.takeVector<Share>();
  launch.onlyShare = reader.take<std::int32_t>();
  launch.takesHulls = reader.take<bool>();
  launch.widening = reader.take<exec::Widening>();
  launch.isTimed = reader.take<bool>();
  launch.portion = reader.take<balance::Portion>();
  launch.events = reader.takeVector<memory::Event>();
  launch.parcel = reader.takeVector<std::byte>();
  launch.followed = takeFollowed(reader, recent);
  return launch;
}

Announcements::Announcements(Mail &mail) : mail_(mail) {
  mail_.on(kLaunch, [this](transport::Control &message, Reader &) TUTTI_IN_TURN {
    mail_.passDown(message.bytes);
    arrived_.push_back(std::move(message.bytes));
  });
}

void Announcements::send(const Launch &launch) { mail_.passDown(encode(launch, recent_)); }

Launch Announcements::takeNext(RegionOf regionOf) {
  const std::vector<std::byte> message = std::move(arrived_.front());
  arrived_.pop_front();
  Reader reader(message);
  reader.take<Kind>();
  return decodeLaunch(reader, regionOf, recent_);
}

} // namespace tutti::protocol
