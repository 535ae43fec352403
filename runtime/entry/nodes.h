// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program that every rank runs: what a rank is besides a job of one.
#pragma once

#include "runtime/entry/settings.h"
#include "runtime/model/spmd/world.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/counters.h"
#include "runtime/transport/transport.h"

#include <memory>
#include <vector>

namespace tutti::entry::nodes {

/// Makes this process a node, before user code. `endpoint` is its end of the nodes' job, and
/// `beside` a second one, which watches over it; null where there is one node. Collective.
void start(std::unique_ptr<transport::Endpoint> endpoint,
           std::unique_ptr<transport::Endpoint> beside, const Settings &settings);

/// Whether the process is a node.
bool isActive();

/// The node. Only where it is active.
model::spmd::World &world();

/// Ends the program if it is no node though it has units that only nodes have: images of another
/// version of the ABI are left alone, and start nothing.
void mustBeActive(const char *source);

/// The node, which begins the directive at `source`. Ends the program as `mustBeActive` does.
model::spmd::World &enter(const char *source);

/// The program calls a function of the library at `source`, which ends with its name.
void noteCall(const char *source);

/// Where `function`, which has just been called, was called; its name where nobody noted that.
const char *callOf(const char *function);

/// Runs what the images bring to be run before `main`, in their order. Once.
void runStartUp();

/// What `main` returned or `exit` was called with.
void noteStatus(int status);

/// Takes what this process has counted, for the report of all.
void take(trace::Report report);

/// Whether there will be such a report.
bool isReporting();

/// The same of its calls.
void take(std::vector<trace::CallReport> calls);

/// Leaves the job, in order behind all others' ends; or ends it at once, if this node has failed.
void finish();

/// A directive at `source` cannot be done: ends the job with one line.
[[noreturn]] void fail(const char *source, const Error &error);

/// What the directive at `source` does is probably not meant so: one line for each source.
void warn(const char *source, const Error &error);

} // namespace tutti::entry::nodes
