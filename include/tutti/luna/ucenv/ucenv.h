// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// <ucenv.h> by the name that other releases of LuNA give it.
#pragma once

#include "../ucenv.h"
