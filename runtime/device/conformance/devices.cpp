// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The devices that are there.
#include "runtime/device/conformance/fixture.h"
#include "runtime/device/mock/mock.h"

#include <cctype>
#include <iostream>
#include <utility>

namespace tutti::device::conformance {

namespace {

std::string wordOf(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  return word;
}

std::unique_ptr<Driver> mockDriver(std::uint32_t delay) {
  mock::Machine machine({.devices = 2, .delay = delay});
  for (const auto &[name, function] : hostFunctions()) {
    machine.setFunction(name, function);
  }
  return machine.makeDriver();
}

void append(std::vector<Candidate> &all, const std::string &name, std::shared_ptr<Driver> driver) {
  const auto infos = driver->list();
  if (!infos) {
    std::cerr << name << ": " << infos.error().text() << '\n';
    return;
  }
  for (std::size_t i = 0; i < infos->size(); ++i) {
    const Info &info = (*infos)[i];
    all.push_back({fmt::format("{}{}_{}", name, i, wordOf(info.name)), driver, i, infos->size()});
    std::cerr << fmt::format("{} {}: {} ({}), {}, {} bytes, {} units{}\n", name, i, info.name,
                             info.driver, info.identity, info.memory, info.units,
                             info.hasFp64 ? ", fp64" : "");
  }
}

std::vector<Candidate> find() {
  std::vector<Candidate> all;
  for (auto &driver : makeDrivers()) {
    const std::string name(driver->name());
    append(all, name, std::move(driver));
  }
  append(all, "now", mockDriver(0));
  append(all, "late", mockDriver(5));
  return all;
}

} // namespace

std::vector<Candidate> candidates() {
  static const std::vector<Candidate> all = find(); // Suites share drivers, which start once.
  return all;
}

} // namespace tutti::device::conformance
