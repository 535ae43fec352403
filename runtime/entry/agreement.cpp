// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/agreement.h"

#include "abi/abi.h"
#include "base/format.h"
#include "base/hash.h"
#include "runtime/entry/images.h"
#include "runtime/transport/gather.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace tutti::entry {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// What `main` gets: as much as the user allows, and at least what big local arrays need.
std::uint64_t wantedStackBytes() {
  constexpr std::uint64_t kLeast = 64 * kMiB;
  constexpr std::uint64_t kMost = 1024 * kMiB;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) {
    return kLeast;
  }
  const std::uint64_t wanted = limit.rlim_cur == RLIM_INFINITY ? kMost : limit.rlim_cur;
  return std::clamp(wanted, kLeast, std::uint64_t{64} << 30) & ~(kMiB - 1);
}

std::uint64_t hostHash() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return Hash().add(std::as_bytes(std::span(name))).value();
}

} // namespace

Hello Hello::ofThisProcess(std::uint64_t heapBytes, bool prefetches) {
  Hello hello{};
  hello.prefetches = prefetches ? 1 : 0;
  hello.abiVersion = imagesVersion();
  hello.regions = regionsHash();
  hello.addresses = addressesHash();
  hello.executable = executableHash();
  hello.host = hostHash();
  hello.heapBytes = heapBytes;
  hello.stackBytes = wantedStackBytes();
  static_assert(sizeof hello.cores <= sizeof(cpu_set_t));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    std::memcpy(hello.cores.data(), &mask, sizeof hello.cores);
  }
  return hello;
}

Result<std::vector<Hello>> exchange(transport::Endpoint &endpoint, const Hello &own) {
  return transport::gather(endpoint, own);
}

Status checkAgreement(const std::vector<Hello> &hellos) {
  struct Aspect {
    std::uint64_t Hello::*word;
    const char *problem;
  };

  constexpr std::array<Aspect, 4> kAspects{
      {{&Hello::abiVersion, "compiled by another version of tutticc"},
       {&Hello::executable, "another executable"},
       {&Hello::regions, "other parallel regions"},
       {&Hello::addresses, "the program at other addresses; link without -pie"}}};
  if (hellos.front().abiVersion != TUTTI_ABI_VERSION) {
    return failure(ErrorCode::WrongImage,
                   "the program was compiled for version {} of this runtime, which is {}",
                   hellos.front().abiVersion, TUTTI_ABI_VERSION);
  }
  for (const Aspect &aspect : kAspects) {
    std::string others;
    std::size_t count = 0;
    for (std::size_t rank = 1; rank < hellos.size(); ++rank) {
      if (hellos[rank].*aspect.word != hellos.front().*aspect.word) {
        others += fmt::format("{}{}", count == 0 ? "" : ", ", rank);
        ++count;
      }
    }
    if (count > 0) {
      return failure(ErrorCode::WrongImage, "not the same program as on rank{} {}: {}",
                     count > 1 ? "s" : "", others, aspect.problem);
    }
  }
  return {};
}

double coresOf(const std::vector<Hello> &hellos, transport::Rank rank) {
  const Hello &own = hellos[static_cast<std::size_t>(rank)];
  double cores = 0;
  for (std::size_t core = 0; core < own.cores.size() * 64; ++core) {
    const auto has = [core](const Hello &hello) {
      return (hello.cores[core / 64] >> (core % 64) & 1) != 0;
    };
    if (has(own)) {
      const auto sharers = std::count_if(hellos.begin(), hellos.end(), [&](const Hello &other) {
        return other.host == own.host && has(other);
      });
      cores += 1.0 / static_cast<double>(sharers);
    }
  }
  return cores;
}

HostPlace placeOnHost(const std::vector<Hello> &hellos, transport::Rank rank) {
  HostPlace place{0, 0};
  const auto own = static_cast<std::size_t>(rank);
  for (std::size_t other = 0; other < hellos.size(); ++other) {
    if (hellos[other].host == hellos[own].host) {
      place.local += other < own ? 1 : 0;
      ++place.locals;
    }
  }
  return place;
}

} // namespace tutti::entry
