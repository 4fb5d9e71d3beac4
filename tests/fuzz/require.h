// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

/// An invariant whose failure is a finding of the fuzzer, in every build type.
#define REQUIRE(condition)                                                                                                                 \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                             \
            std::abort();                                                                                                                  \
        }                                                                                                                                  \
    } while (false)
