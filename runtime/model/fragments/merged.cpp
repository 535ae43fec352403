// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/merged.h"

#include "base/check.h"
#include "base/format.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

namespace tutti::model::fragments {

namespace {

/// The buffer that all slabs are slices of, in order and without a gap; null if there is none.
Buffer *commonBuffer(const std::vector<Value> &slabs) {
  Buffer *whole = nullptr;
  std::size_t end = 0;
  for (const Value &slab : slabs) {
    Buffer *buffer = slab.buffer();
    if (!buffer || !buffer->whole || (whole && (buffer->whole != whole || buffer->offset != end))) {
      return nullptr;
    }
    whole = buffer->whole;
    end = buffer->offset + buffer->bytes;
  }
  return whole;
}

/// What stands for a border between two members.
Value leftOut() {
  Buffer *buffer = Buffer::make(0);
  TUTTI_CHECK(buffer, "no memory");
  buffer->isLeftOut = true;
  return {Kind::Bytes, buffer};
}

bool areSame(const Value &left, const Value &right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size()) == 0;
}

/// Letters of the outputs.
std::string lettersOfOutputs(const tutti_luna_procedure &procedure) {
  std::string letters;
  for (std::size_t at = 0; procedure.types[at] != '\0'; ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
      letters += procedure.merge[at];
    }
  }
  return letters;
}

} // namespace

Value concatenated(const std::vector<Value> &slabs, Cause cause) {
  std::size_t bytes = 0;
  for (const Value &slab : slabs) {
    bytes += slab.size();
  }
  if (Buffer *whole = commonBuffer(slabs)) {
    if (bytes == whole->bytes) {
      whole->references.fetch_add(1, std::memory_order_relaxed);
      return {Kind::Bytes, whole};
    }
    return {Kind::Bytes, Buffer::makeSlice(*slabs.front().buffer(), 0, bytes)};
  }
  Buffer *all = Buffer::make(bytes);
  TUTTI_CHECK(all, "no memory for {} bytes", bytes);
  std::byte *to = all->data();
  for (const Value &slab : slabs) {
    slab.open(cause);
    std::memcpy(to, slab.data(), slab.size());
    to += slab.size();
  }
  return {Kind::Bytes, all};
}

bool areObjects(const std::vector<Value> &slabs) {
  return std::ranges::any_of(slabs, [](const Value &slab) {
    const Buffer *buffer = slab.buffer();
    return buffer && buffer->destroy;
  });
}

bool hasObjects(const tutti_luna_procedure &procedure, const Call &call) {
  return std::ranges::any_of(call.members, [&](const Call *member) {
    for (std::size_t at = 0; at < member->arguments.size(); ++at) {
      const Buffer *buffer = member->arguments[at].value.buffer();
      if (procedure.merge[at] == TUTTI_LUNA_MERGE_BULK && buffer && buffer->destroy) {
        return true;
      }
    }
    return false;
  });
}

std::vector<std::int32_t> mergeArguments(const tutti_luna_procedure &procedure, Call &call,
                                         Cause cause) {
  const std::size_t count = call.members.front()->arguments.size();
  std::vector<std::int32_t> sizes;
  call.arguments.resize(count);
  for (std::size_t at = 0; at < count; ++at) {
    Argument &argument = call.arguments[at];
    const Argument &first = call.members.front()->arguments[at];
    const char letter = procedure.merge[at];
    argument.entry = first.entry;
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
      continue;
    }
    if (letter == TUTTI_LUNA_MERGE_SIZE) {
      for (const Call *member : call.members) {
        sizes.push_back(member->arguments[at].value.integer());
      }
      argument.value = Value(std::accumulate(sizes.begin(), sizes.end(), 0));
    } else if (letter == TUTTI_LUNA_MERGE_BULK) {
      std::vector<Value> slabs;
      for (const Call *member : call.members) {
        slabs.push_back(member->arguments[at].value);
      }
      argument.value = concatenated(slabs, cause);
    } else if (letter == TUTTI_LUNA_MERGE_RIGHT) {
      argument.value = call.members.back()->arguments[at].value;
    } else {
      argument.value = first.value;
    }
  }
  return sizes;
}

std::optional<std::string> wrongSlab(const tutti_luna_procedure &procedure, std::size_t output,
                                     const Value &value, std::size_t units) {
  if (value.kind() == Kind::Bytes && units != 0 && value.size() % units == 0 &&
      !value.buffer()->destroy) {
    return std::nullopt;
  }
  return fmt::format("output {} of merged '{}' is not made of {} slabs: it has {} bytes",
                     output + 1, procedure.name, units, value.size());
}

std::vector<Value> splitValue(const Value &value, char letter,
                              const std::vector<std::int32_t> &sizes) {
  const std::size_t units = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::vector<Value> members(sizes.size());
  std::size_t offset = 0;
  for (std::size_t member = 0; member < sizes.size(); ++member) {
    if (letter == TUTTI_LUNA_MERGE_BULK) {
      const std::size_t bytes = value.size() / units * static_cast<std::size_t>(sizes[member]);
      members[member] = Value(Kind::Bytes, Buffer::makeSlice(*value.buffer(), offset, bytes));
      offset += bytes;
    } else {
      const bool isOuter = member == (letter == TUTTI_LUNA_MERGE_LEFT ? 0 : sizes.size() - 1);
      members[member] = isOuter ? value : leftOut();
    }
  }
  return members;
}

std::optional<std::string> splitOutputs(const tutti_luna_procedure &procedure,
                                        const std::vector<std::int32_t> &sizes,
                                        std::vector<Value> &outputs) {
  const std::string letters = lettersOfOutputs(procedure);
  const std::size_t units = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::vector<Value> ofMembers(letters.size() * sizes.size());
  for (std::size_t output = 0; output < letters.size(); ++output) {
    const Value &value = outputs[output];
    if (!value.isSet()) {
      continue; // Whoever ends the member says so.
    }
    if (letters[output] == TUTTI_LUNA_MERGE_BULK) {
      if (auto why = wrongSlab(procedure, output, value, units)) {
        return why;
      }
    }
    std::vector<Value> members = splitValue(value, letters[output], sizes);
    for (std::size_t member = 0; member < sizes.size(); ++member) {
      ofMembers[member * letters.size() + output] = std::move(members[member]);
    }
  }
  outputs = std::move(ofMembers);
  return std::nullopt;
}

bool areAlike(const tutti_luna_procedure &procedure, const std::vector<Value> &outputs,
              const std::vector<Value> &ofMembers) {
  const std::string letters = lettersOfOutputs(procedure);
  for (std::size_t output = 0; output < letters.size(); ++output) {
    std::vector<Value> values;
    for (std::size_t at = output; at < ofMembers.size(); at += letters.size()) {
      values.push_back(ofMembers[at]);
    }
    const Value separate = letters[output] == TUTTI_LUNA_MERGE_BULK
                               ? concatenated(values, Cause::Border)
                           : letters[output] == TUTTI_LUNA_MERGE_LEFT ? values.front()
                                                                      : values.back();
    if (!areSame(outputs[output], separate)) {
      return false;
    }
  }
  return true;
}

} // namespace tutti::model::fragments
