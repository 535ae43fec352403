// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/reservation.h"

#include "base/check.h"
#include "runtime/exec/kernel_choice.h"
#include "runtime/exec/or_die.h"

#include <string>
#include <utility>

namespace tutti::protocol {

using namespace exec;

std::vector<std::byte> encode(const Reservation &reservation) {
  return Writer(kReserve)
      .add(reservation.sequence)
      .add(reservation.place)
      .add(reservation.leaving)
      .add(reservation.rescued)
      .add(reservation.units)
      .add(reservation.kernels)
      .bytes();
}

Reservation decodeReservation(Reader &reader) {
  Reservation reservation;
  reservation.sequence = reader.take<Sequence>();
  reservation.place = reader.take<Place>();
  reservation.leaving = reader.takeRanges();
  reservation.rescued = reader.takeRanges();
  reservation.units = reader.takeRanges();
  reservation.kernels = reader.takeVector<KernelName>();
  return reservation;
}

std::vector<std::byte> encode(const Answer &answer) {
  Writer writer(kReserved);
  writer.add(answer.place).add(std::uint32_t{answer.status ? 0U : 1U});
  if (!answer.status) {
    writer.add(answer.status.error().code).addText(answer.status.error().message);
  }
  return writer.bytes();
}

Answer decodeAnswer(Reader &reader) {
  Answer answer{reader.take<Place>(), {}};
  if (reader.take<std::uint32_t>() != 0) {
    const auto code = reader.take<ErrorCode>();
    answer.status = Error{code, reader.text()};
  }
  return answer;
}

Reservations::Reservations(Engine &engine, Mail &mail, Evictions &evictions)
    : engine_(engine), mail_(mail), evictions_(evictions) {
  mail_.on(kReserve, [this](transport::Control &, Reader &reader)
                         TUTTI_IN_TURN { wanted_.push_back(decodeReservation(reader)); });
  mail_.on(kReserved, [this](transport::Control &, Reader &reader) TUTTI_IN_TURN {
    Answer answer = decodeAnswer(reader);
    answers_[answer.place] = std::move(answer.status);
  });
}

void Reservations::ask(const Reservation &reservation) {
  mail_.send(engine_.topology.rankOf(reservation.place), encode(reservation));
  ++asked_;
}

std::map<Place, Status> Reservations::await(Progress::Lock &lock) {
  engine_.progress.waitUntil(lock, [this]() TUTTI_IN_TURN { return answers_.size() == asked_; });
  asked_ = 0;
  return std::exchange(answers_, {});
}

bool Reservations::isAsked() const {
  return !wanted_.empty() && wanted_.front().sequence <= engine_.finished;
}

void Reservations::serve(Progress::Lock &lock, RegionOf regionOf) {
  while (isAsked()) {
    const Reservation wanted = std::move(wanted_.front());
    wanted_.pop_front();
    if (!wanted.leaving.empty()) {
      orDie(evictions_.evict(lock, {wanted.place, wanted.leaving}, [&] { return wanted.rescued; }));
      rescued_ = rescued_.unite(wanted.rescued);
    }
    mail_.send(0, encode(Answer{wanted.place, reserve(wanted, regionOf)}));
  }
}

Status Reservations::reserve(const Reservation &wanted, RegionOf regionOf) {
  const std::int32_t device = engine_.topology.indexOf(wanted.place);
  TUTTI_TRY(engine_.devices.commit(device, wanted.units));
  for (const KernelName &name : wanted.kernels) {
    const tutti_region *region = regionOf(name.region);
    TUTTI_CHECK(region, "find region {:#x}", name.region);
    const tutti_kernel *kernel =
        kernelOf(*region, name.mapping, engine_.devices.info(device).format);
    TUTTI_CHECK(kernel, "find kernel {} of the loop at {}", name.mapping, region->source);
    TUTTI_TRY(engine_.devices.load(device, *region, *kernel));
  }
  return {};
}

} // namespace tutti::protocol
