// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "constants.h"

#include <cstdlib>

namespace {

double atStart(double value) { return std::getenv("PATH") ? value : -value; }

} // namespace

const double kKnown = 1.5;
const double known[kEntries] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
const double kComputed = atStart(2.5);
const double computed[kEntries] = {atStart(1), atStart(7), 3, atStart(4)};
const Pair pair{atStart(3), atStart(5)};
