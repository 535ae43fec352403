// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The protocols of one rank, put together on its engine. A new one is one more member.
#pragma once

#include "runtime/exec/engine.h"
#include "runtime/protocol/acknowledge.h"
#include "runtime/protocol/announce.h"
#include "runtime/protocol/eviction.h"
#include "runtime/protocol/fetch.h"
#include "runtime/protocol/host_tasks.h"
#include "runtime/protocol/loans.h"
#include "runtime/protocol/loss.h"
#include "runtime/protocol/mail.h"
#include "runtime/protocol/merge.h"
#include "runtime/protocol/output.h"
#include "runtime/protocol/partial.h"
#include "runtime/protocol/probe.h"
#include "runtime/protocol/reservation.h"
#include "runtime/protocol/salvage.h"
#include "runtime/protocol/shutdown.h"
#include "runtime/protocol/times.h"

#include <vector>

namespace tutti::protocol {

/// What a job is made of.
struct JobSetup {
  transport::Endpoint &endpoint;
  const memory::Window &window;
  memory::Topology topology;             ///< Of all ranks.
  std::vector<exec::Room> rooms;         ///< Of all devices, in the order of places.
  std::vector<exec::OpenDevice> devices; ///< This rank's, in the order of the topology.
  bool isCrowded;                        ///< More threads than cores on this host.
  HandleRoutes handles = {};             ///< Needed where the topology has routes.
  bool keepsTime = true; ///< Somebody is going to read in the report what took how long.
  exec::Pace pace = exec::Pace::Ahead; ///< Of bytes between ranks; the same on all of them.
};

/// Threading: as for the engine.
class Job : public exec::Engine {
public:
  explicit Job(JobSetup setup);

  ~Job() { progress.stop(); } // Which polls the protocols.

  /// Whether nothing is under way between this rank's memories or to and from others.
  bool isIdle() TUTTI_IN_TURN;

  Mail mail{*this};
  Acknowledgements acknowledgements{*this, mail};
  Announcements announcements{mail};
  Losses losses{*this, mail};
  Loans loans;
  Salvage salvage{*this, mail};
  Evictions evictions{*this, salvage, loans};
  HostTasks hostTasks{*this, mail};
  Fetches fetches{*this, mail, salvage, hostTasks};
  Reservations reservations{*this, mail, evictions};
  Merges merges{*this, mail};
  Outputs outputs{*this, mail};
  Partials partials{*this, mail};
  Probes probes{*this, mail};
  Shutdown shutdown{*this, mail};
  Times times{*this, mail};
};

} // namespace tutti::protocol
