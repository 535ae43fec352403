// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/chunk_run.h"

#include "runtime/balance/cut.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tutti::exec {

void ChunkRun::run(bool isKnown) {
  waitForReaders();
  if (job_.rank() != 0) {
    storeBlocks();
  }
  startTransfers(isKnown);
  runPieces();
  if (job_.rank() != 0) {
    returnBytes();
  }
}

void ChunkRun::finish() {
  const auto hasEnded = [this](Streams::Id id) { return job_.streams.hasEnded(id); };
  job_.progress.waitUntil(lock_, [&] {
    return std::all_of(received_.begin(), received_.end(), hasEnded) &&
           std::all_of(others_.begin(), others_.end(), hasEnded);
  });
}

/// Sends of earlier launches may still read what this one overwrites.
void ChunkRun::waitForReaders() {
  std::vector<Range> blocks;
  for (const BlockValue &block : launch_.blocks) {
    blocks.push_back({block.address, block.address + block.bytes});
  }
  const RangeSet overwritten = RangeSet::of(std::move(blocks));
  job_.progress.waitUntil(lock_, [&] {
    return !job_.streams.isSending() ||
           (!job_.streams.isReading(plan_.overwritten) && !job_.streams.isReading(overwritten));
  });
}

void ChunkRun::storeBlocks() {
  for (const BlockValue &block : launch_.blocks) {
    std::memcpy(job_.window.view(block.address), &block.value, block.bytes);
  }
}

void ChunkRun::startTransfers(bool isKnown) {
  std::vector<Streams::Id> ids;
  trace::Counters &counters = job_.counters;
  for (const Link &link : plan_.links) {
    if (link.isSend) {
      const auto after = link.after ? std::optional(ids[*link.after]) : std::nullopt;
      ids.push_back(job_.streams.send(Lane::Launch, link.peer, link.ranges, after));
      others_.push_back(ids.back());
      continue;
    }
    ids.push_back(job_.streams.receive(Lane::Launch, link.peer, link.ranges));
    received_.push_back(ids.back());
    const std::uint64_t bytes = link.ranges.bytes();
    const std::uint64_t messages = Streams::messagesFor(link.ranges);
    counters.exchangeBytes += bytes;
    counters.exchangeMessages += messages;
    if (isKnown) {
      counters.steadyExchangeBytes += bytes;
      counters.steadyExchangeMessages += messages;
    }
  }
  if (job_.rank() == 0) {
    for (const Return &returned : plan_.returns) {
      others_.push_back(job_.streams.receive(Lane::Launch, returned.from, returned.ranges));
      counters.twinBytes += returned.ranges.bytes();
      counters.twinMessages += Streams::messagesFor(returned.ranges);
    }
  }
  orDie(job_.streams.progress());
}

void ChunkRun::runPieces() {
  const auto waitForReceived = [this] {
    job_.progress.waitUntil(lock_, [this] {
      return std::all_of(received_.begin(), received_.end(),
                         [this](Streams::Id id) { return job_.streams.hasEnded(id); });
    });
  };
  const balance::Chunk chunk = plan_.chunk;
  const balance::Chunk inner = plan_.interior;
  std::vector<balance::Chunk> borders;
  if (inner.empty()) {
    borders = {chunk};
  } else {
    borders = {{chunk.lower, inner.lower}, {inner.upper, chunk.upper}};
  }
  std::erase_if(borders, [](const balance::Chunk &piece) { return piece.empty(); });
  const auto pieces = static_cast<std::int32_t>(borders.size()) + (inner.empty() ? 0 : 1);
  Reduction reduction(
      {job_.rank(), balance::participants(launch_.total, job_.size()), launch_.sequence, pieces},
      job_.progress, job_.partials, [this](Rank to, std::span<const std::byte> bytes) {
        job_.counters.reductionBytes += bytes.size();
        ++job_.counters.reductionMessages;
        const std::vector<std::byte> message =
            Writer().add(MessageKind::Partial).add(launch_.sequence).addBytes(bytes).bytes();
        orDie(job_.endpoint.sendControl(to, message));
      });
  const auto runPiece = [&](const balance::Chunk &piece) {
    const bool reduces = (launch_.region->flags & TUTTI_REGION_REDUCES) != 0;
    const tutti_chunk arguments{job_.window.delta(), piece.lower, piece.upper, launch_.total,
                                reduces ? &reduction : nullptr};
    lock_.unlock();
    launch_.region->run(launch_.captures.data(), &arguments);
    lock_ = job_.progress.lock();
  };
  if (!inner.empty()) {
    runPiece(inner);
  }
  waitForReceived();
  for (const balance::Chunk &piece : borders) {
    runPiece(piece);
  }
}

void ChunkRun::returnBytes() {
  for (const Return &returned : plan_.returns) {
    others_.push_back(job_.streams.send(Lane::Launch, 0, returned.ranges));
  }
}

} // namespace tutti::exec
