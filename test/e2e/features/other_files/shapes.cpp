#include <algorithm>
#include <cmath>

#include "others.h"

static const double weights[7] = {1, 2, 3, 4, 5, 6, 7};

static double weighted(double x, int kind) { return std::sin(x) * weights[kind]; }

template <class T> T within(T x, T least, T most) { return std::min(std::max(x, least), most); }

double shape(double x, int kind) { return within(weighted(x, kind), -5.0, 5.0) + third(x); }

double smooth(const double *u, long i) { return 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1]); }
