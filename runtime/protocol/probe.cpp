// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/probe.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tutti::protocol {

namespace {

constexpr int kProbes = 16;

} // namespace

Probes::Probes(exec::Engine &engine, Mail &mail) : engine_(engine), mail_(mail) {
  mail_.on(kProbe, [this](transport::Control &message, Reader &) TUTTI_IN_TURN {
    if (engine_.rank() == 0) {
      ++returned_;
    } else {
      mail_.send(message.from, message.bytes);
    }
  });
}

double Probes::measure(Progress::Lock &lock, Rank peer) {
  using Clock = std::chrono::steady_clock;
  const Writer probe(kProbe);
  double best = std::numeric_limits<double>::max();
  for (int sent = 0; sent < kProbes; ++sent) {
    const std::uint64_t before = returned_;
    const Clock::time_point begin = Clock::now();
    mail_.send(peer, probe.bytes());
    engine_.progress.waitUntil(lock, [&]() TUTTI_IN_TURN { return returned_ > before; });
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / 2);
  }
  return best;
}

} // namespace tutti::protocol
