// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/message.h"

#include <memory>
#include <string>
#include <utility>

namespace tutti::protocol {

using namespace exec;

namespace {

/// All that is left.
std::string textOf(const Reader &reader) {
  return {reinterpret_cast<const char *>(reader.rest().data()), reader.rest().size()};
}

/// What a launch says about what it follows.
enum class Following : std::uint32_t {
  Nothing,
  Known, ///< Only the id comes.
  New,
};

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
    writer.add(content.words.ranges())
        .add(content.bytes)
        .add(content.allocations)
        .add(content.objects.ranges());
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
    content.words = RangeSet::of(reader.takeVector<Range>());
    content.bytes = reader.takeVector<std::byte>();
    content.allocations = reader.takeVector<Allocation>();
    content.objects = RangeSet::of(reader.takeVector<Range>());
    followed = std::make_shared<const Followed>(id, std::move(content));
  }
  recent.use(followed);
  return followed;
}

} // namespace

std::vector<std::byte> encode(const Launch &launch, RecentlyFollowed &recent) {
  Writer writer;
  writer.add(MessageKind::Launch)
      .add(launch.sequence)
      .add(launch.region->id)
      .add(launch.captures)
      .add(launch.values)
      .add(launch.blocks)
      .add(launch.allocations)
      .add(launch.everywhere)
      .add(launch.total)
      .add(launch.shares)
      .add(launch.onlyShare)
      .add(launch.takesHulls)
      .add(launch.portion)
      .add(launch.events);
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
  launch.total = reader.take<std::int64_t>();
  launch.shares = reader.takeVector<Share>();
  launch.onlyShare = reader.take<std::int32_t>();
  launch.takesHulls = reader.take<bool>();
  launch.portion = reader.take<balance::Portion>();
  launch.events = reader.takeVector<memory::Event>();
  launch.followed = takeFollowed(reader, recent);
  return launch;
}

std::vector<std::byte> encode(const FetchRequest &request) {
  return Writer()
      .add(MessageKind::Fetch)
      .add(request.sequence)
      .add(request.ranges.ranges())
      .bytes();
}

FetchRequest decodeFetch(Reader &reader) {
  const auto sequence = reader.take<Sequence>();
  return {sequence, RangeSet::of(reader.takeVector<Range>())};
}

std::vector<std::byte> encodeChanges(Sequence sequence, bool isLast,
                                     std::span<const std::byte> bytes) {
  return Writer()
      .add(MessageKind::Changes)
      .add(sequence)
      .add(std::uint32_t{isLast})
      .addBytes(bytes)
      .bytes();
}

Changes decodeChanges(Reader &reader) {
  Changes changes{reader.take<Sequence>(), reader.take<std::uint32_t>(), {}};
  changes.bytes.assign(reader.rest().begin(), reader.rest().end());
  return changes;
}

std::vector<std::byte> encode(const Reservation &reservation) {
  Writer writer;
  writer.add(MessageKind::Reserve).add(reservation.sequence).add(reservation.place);
  for (const RangeSet *set : {&reservation.leaving, &reservation.rescued, &reservation.units}) {
    writer.add(set->ranges());
  }
  return writer.add(reservation.kernels).bytes();
}

Reservation decodeReservation(Reader &reader) {
  Reservation reservation;
  reservation.sequence = reader.take<Sequence>();
  reservation.place = reader.take<memory::Place>();
  for (RangeSet *set : {&reservation.leaving, &reservation.rescued, &reservation.units}) {
    *set = RangeSet::of(reader.takeVector<Range>());
  }
  reservation.kernels = reader.takeVector<KernelName>();
  return reservation;
}

std::vector<std::byte> encode(const Loss &loss) {
  return Writer()
      .add(MessageKind::Lost)
      .add(loss.place)
      .add(loss.gone.ranges())
      .addBytes(std::as_bytes(std::span(loss.why)))
      .bytes();
}

Loss decodeLoss(Reader &reader) {
  Loss loss{reader.take<memory::Place>(), RangeSet::of(reader.takeVector<Range>()), {}};
  loss.why = textOf(reader);
  return loss;
}

std::vector<std::byte> encode(const Answer &answer) {
  Writer writer;
  writer.add(MessageKind::Reserved).add(answer.place).add(std::uint32_t{answer.status ? 0U : 1U});
  if (!answer.status) {
    const std::string &why = answer.status.error().message;
    writer.add(answer.status.error().code).addBytes(std::as_bytes(std::span(why)));
  }
  return writer.bytes();
}

Answer decodeAnswer(Reader &reader) {
  Answer answer{reader.take<memory::Place>(), {}};
  if (reader.take<std::uint32_t>() != 0) {
    const auto code = reader.take<ErrorCode>();
    answer.status = Error{code, textOf(reader)};
  }
  return answer;
}

} // namespace tutti::protocol
