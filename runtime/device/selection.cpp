// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/selection.h"

#include <algorithm>
#include <utility>

namespace tutti::device {

namespace {

constexpr std::uint32_t kGpu = kindBit(TUTTI_DEVICE_GPU);
constexpr std::uint32_t kHybrid = kindBit(TUTTI_DEVICE_HYBRID);

bool hasGpu(const std::vector<Info> &devices) { return std::ranges::any_of(devices, &Info::isGpu); }

bool isOnBus(const Info &info) { return info.identity.starts_with("pci:"); }

/// Whether two drivers list the same piece of hardware. One that says no place on the bus is taken
/// for any GPU of its vendor.
bool isSame(const Info &one, const Info &other, bool areOfOneBackend) {
  if (!one.identity.empty() && one.identity == other.identity) {
    // Parts of a device may share its place.
    return !areOfOneBackend || one.driver != other.driver;
  }
  return !areOfOneBackend && one.isGpu && other.isGpu && one.vendor != 0 &&
         one.vendor == other.vendor && !(isOnBus(one) && isOnBus(other));
}

/// Adds devices of one backend after the other to a selection.
class Chooser {
public:
  explicit Chooser(std::span<const Listing> backends) : backends_(backends) {}

  bool isEmpty() const { return choices_.empty(); }

  bool hasGpus() const {
    return std::ranges::any_of(choices_,
                               [&](const Choice &choice) { return infoOf(choice).isGpu; });
  }

  std::vector<Choice> take() && { return std::move(choices_); }

  /// All GPUs of all backends. A driver is not started for more of them where that is not expected
  /// to be worth it, unless its backend is in `asked` (by its kind's bit).
  void addGpus(std::uint32_t asked = 0) {
    for (std::size_t backend = 0; backend < backends_.size(); ++backend) {
      const Listing &listing = backends_[backend];
      if (!hasGpus() || !listing.mayAddGpus || (asked & bitOf(listing)) != 0 ||
          listing.mayAddGpus(identities())) {
        add(backend, [](const Info &info) { return info.isGpu; }, false);
      }
    }
  }

  /// Other devices of the first backend that has any.
  void addOthers() {
    for (std::size_t backend = 0; backend < backends_.size() && choices_.empty(); ++backend) {
      add(backend, [](const Info &) { return true; }, false);
    }
  }

  /// GPUs of the backends in `kinds`, or if one has none its other devices. `isElsewhereNone`: GPUs
  /// that are used through other backends are none of its own.
  void addNamed(std::uint32_t kinds, bool areForTheirNames, bool isElsewhereNone) {
    for (std::size_t backend = 0; backend < backends_.size(); ++backend) {
      if ((kinds & bitOf(backends_[backend])) != 0) {
        const bool takesOthers =
            isElsewhereNone ? !hasGpuOfItsOwn(backend) : !hasGpu(backends_[backend].devices());
        add(
            backend, [&](const Info &info) { return info.isGpu || takesOthers; },
            areForTheirNames && takesOthers);
      }
    }
  }

  /// Whether what asks for `kind` by name gets something else.
  bool isMissing(std::uint32_t kind) const {
    return std::ranges::none_of(choices_, [&](const Choice &choice) {
      return kind == TUTTI_DEVICE_GPU      ? infoOf(choice).isGpu
             : kind == TUTTI_DEVICE_HYBRID ? true
                                           : bitOf(backends_[choice.backend]) == kindBit(kind);
    });
  }

  /// Whether GPUs of a backend are chosen that is not the one that `kind` names.
  bool isElsewhere(std::uint32_t kind) const {
    return std::ranges::any_of(backends_, [&](const Listing &listing) {
      return bitOf(listing) == kindBit(kind) && hasGpu(listing.devices());
    });
  }

  /// Those of `kinds` that are missing, and which of them are elsewhere.
  void note(std::uint32_t kinds, Selection &selection) const {
    for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
      const std::uint32_t bit = kindBit(kind.number);
      if ((kinds & bit) != 0 && isMissing(kind.number)) {
        selection.missing |= bit;
        selection.elsewhere |= kind.isBackend && isElsewhere(kind.number) ? bit : 0;
      }
    }
  }

private:
  /// That which asks for devices of a backend; none if nothing does.
  static std::uint32_t bitOf(const Listing &listing) {
    const auto found = std::ranges::find(abi::kDeviceKinds, listing.name, &abi::DeviceKind::name);
    return found != abi::kDeviceKinds.end() && found->isBackend ? kindBit(found->number) : 0;
  }

  const Info &infoOf(const Choice &choice) const {
    return backends_[choice.backend].devices()[choice.index];
  }

  std::vector<std::string> identities() const {
    std::vector<std::string> identities;
    for (const Choice &choice : choices_) {
      identities.push_back(infoOf(choice).identity);
    }
    return identities;
  }

  /// Whether there is a GPU that no other backend has been chosen for.
  bool hasGpuOfItsOwn(std::size_t backend) const {
    return std::ranges::any_of(backends_[backend].devices(), [&](const Info &device) {
      return device.isGpu && std::ranges::none_of(choices_, [&](const Choice &choice) {
               return choice.backend != backend && isSame(infoOf(choice), device, false);
             });
    });
  }

  template <typename Wanted> void add(std::size_t backend, Wanted &&wanted, bool areForTheirNames) {
    const std::vector<Info> &devices = backends_[backend].devices();
    for (std::size_t index = 0; index < devices.size(); ++index) {
      const bool isKnown = std::ranges::any_of(choices_, [&](const Choice &choice) {
        return (choice.backend == backend && choice.index == index) ||
               isSame(infoOf(choice), devices[index], choice.backend == backend);
      });
      if (wanted(devices[index]) && !isKnown) {
        choices_.push_back({backend, index, areForTheirNames});
      }
    }
  }

  std::span<const Listing> backends_;
  std::vector<Choice> choices_;
};

std::uint32_t backendsIn(std::uint32_t kinds) {
  std::uint32_t backends = 0;
  for (const abi::DeviceKind &kind : abi::kDeviceKinds) {
    backends |= kind.isBackend ? kinds & kindBit(kind.number) : 0;
  }
  return backends;
}

/// Where nobody asks for all of a run: what the loops in the source ask for decides.
Selection byTheSource(std::span<const Listing> backends, std::uint32_t inSource) {
  Chooser chooser(backends);
  const std::uint32_t named = backendsIn(inSource);
  chooser.addGpus(named);
  chooser.addNamed(named, chooser.hasGpus(), false);
  Selection selection;
  chooser.note(inSource & (named | kGpu | kHybrid), selection);
  selection.choices = std::move(chooser).take();
  return selection;
}

/// `kinds`: what the user asks for.
Selection byTheUser(std::span<const Listing> backends, std::uint32_t kinds) {
  Chooser chooser(backends);
  const std::uint32_t named = backendsIn(kinds);
  if ((kinds & (kGpu | kHybrid)) != 0) {
    chooser.addGpus(named);
  }
  chooser.addNamed(named, false, true);
  if ((kinds & kHybrid) != 0) {
    chooser.addOthers();
  }
  Selection selection;
  chooser.note(kinds, selection);
  if (chooser.isEmpty()) {
    // Another backend's devices stand for GPUs that are not there, whatever they are.
    chooser.addGpus();
    chooser.addOthers();
  }
  selection.choices = std::move(chooser).take();
  return selection;
}

} // namespace

Selection sharedDevices(std::span<const Listing> backends, const Wish &wish,
                        std::uint32_t inSource) {
  switch (wish.kind) {
  case TUTTI_DEVICE_CPU:
    return {};
  case TUTTI_DEVICE_AUTO:
    return byTheSource(backends, inSource);
  default:
    return byTheUser(backends, wish.listed != 0 ? wish.listed : kindBit(wish.kind));
  }
}

std::vector<Choice> ownDevices(const std::vector<Choice> &shared, std::int64_t local,
                               std::int64_t locals) {
  const auto count = static_cast<std::int64_t>(shared.size());
  std::vector<Choice> own;
  for (std::int64_t index = 0; index < count; ++index) {
    if (locals >= count ? index == local % count : index % locals == local) {
      own.push_back(shared[static_cast<std::size_t>(index)]);
    }
  }
  return own;
}

std::int64_t sharersOf(std::size_t devices, std::int64_t local, std::int64_t locals) {
  const auto count = static_cast<std::int64_t>(devices);
  return locals <= count || count == 0 ? 1 : (locals - local % count + count - 1) / count;
}

} // namespace tutti::device
