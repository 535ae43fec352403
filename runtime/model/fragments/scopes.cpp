// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/scopes.h"

#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/outbox.h"
#include "runtime/model/fragments/ropes.h"

#include <cstdint>
#include <vector>

namespace tutti::model::fragments {

Scope *Scopes::openScope(std::int32_t index, Frame *frame, Scope *outer, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(index);
  if (statement.signals.count == 0 && statement.deletes.count == 0) {
    return outer;
  }
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  for (const std::int32_t node : program_.list(statement.signals)) {
    signals.push_back(evaluator_.resolve(node, frame, ask));
  }
  for (const std::int32_t node : program_.list(statement.deletes)) {
    deletes.push_back(evaluator_.resolve(node, frame, ask));
  }
  if (!ask.missing.empty() || ask.hasFailed) {
    return nullptr;
  }
  auto *scope = new Scope;
  scope->outer = outer;
  scope->statement = index;
  scope->frame = Frames::retain(frame);
  scope->id = frames_.idOf(*frame, index, 0);
  for (Entry *entry : signals) {
    Data::use(scope->signals.emplace_back(), entry);
  }
  for (Entry *entry : deletes) {
    Data::use(scope->deletes.emplace_back(), entry);
  }
  byId_.emplace(scope->id, scope);
  if (settings_.ranks > 1) {
    if (const auto early = earlyOver_.find(scope->id); early != earlyOver_.end()) {
      scope->arrived = early->second;
      earlyOver_.erase(early);
    }
  }
  enter(outer);
  return scope;
}

/// Nothing is going on in it any more.
void Scopes::close(Scope *scope) {
  do {
    Scope *outer = scope->outer;
    if (scope->rope) {
      ropes_.endRound(*scope);
      scope = outer;
      continue;
    }
    if (settings_.ranks > 1) {
      outbox_.tellOver(scope->id);
    }
    arrive(*scope);
    scope = outer;
  } while (scope && --scope->open == 0);
}

void Scopes::hearOver(const FrameId &id) {
  if (const auto scope = byId_.find(id); scope != byId_.end()) {
    arrive(*scope->second);
  } else {
    ++earlyOver_[id];
  }
}

void Scopes::arrive(Scope &scope) {
  if (++scope.arrived == settings_.ranks) {
    fire(scope);
  }
}

/// All below the call is over, on all ranks.
void Scopes::fire(Scope &scope) {
  for (Entry *&entry : scope.signals) {
    if (data_.isHome(*entry)) {
      data_.assign(*entry, Value(1), scope.statement, settings_.rank);
    }
    data_.unuse(entry);
  }
  for (Entry *&entry : scope.deletes) {
    if (data_.isHome(*entry)) {
      data_.deleteAtHome(*entry, scope.statement);
    }
    data_.unuse(entry);
  }
  byId_.erase(scope.id);
  frames_.release(scope.frame);
  delete &scope;
}

void Scopes::clear() {
  for (const auto &[id, scope] : byId_) {
    delete scope;
  }
}

} // namespace tutti::model::fragments
