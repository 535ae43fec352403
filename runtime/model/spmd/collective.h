// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables that a collective operation of a group works on as one run of bytes.
#pragma once

#include "runtime/model/spmd/sections.h"
#include "runtime/model/spmd/world.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::spmd {

/// Its bytes are taken from the variables when they are added, and written back at the end.
class Collective final : public Operation {
public:
  explicit Collective(transport::Group &group) : group_(group) {}

  void add(LocalSection section) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + section.bytes());
    section.packTo(bytes_.data() + at);
    sections_.push_back(std::move(section));
  }

  std::span<std::byte> bytes() { return bytes_; }

  /// What has been begun on the bytes; whether the variables get the result.
  Status begin(Result<transport::Request> request, bool takesResult) {
    TUTTI_ASSIGN(request_, std::move(request));
    takesResult_ = takesResult;
    return {};
  }

  Result<bool> advance() override {
    if (request_) {
      const Result<bool> done = group_.test(*request_);
      TUTTI_TRY(done);
      if (!*done) {
        return false;
      }
      request_.reset();
      const std::byte *at = bytes_.data();
      for (const LocalSection &section : sections_) {
        if (takesResult_) {
          section.unpackFrom(at);
        }
        at += section.bytes();
      }
    }
    return true;
  }

private:
  transport::Group &group_;
  std::vector<LocalSection> sections_;
  Bytes bytes_;
  std::optional<transport::Request> request_;
  bool takesResult_ = true;
};

} // namespace tutti::model::spmd
