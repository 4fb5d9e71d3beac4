# SPDX-License-Identifier: Apache-2.0
# What every target of the project shares: language level, warnings, include root.
add_library(throttlescope_options INTERFACE)
target_compile_features(throttlescope_options INTERFACE cxx_std_20)
target_compile_options(throttlescope_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wold-style-cast -Wimplicit-fallthrough -Wno-missing-field-initializers
    # GCC 12 sees an overlap in std::string's operator+ that is not there (GCC bug 105651).
    "$<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local;-Wno-restrict,-Wshadow>"
    # The same figures from GCC and clang: no fused multiply-add behind our back.
    -ffp-contract=off)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code makes GCC see uninitialised members of moved variants; the sanitizer itself would tell.
    target_compile_options(throttlescope_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(THROTTLESCOPE_WERROR)
    target_compile_options(throttlescope_options INTERFACE -Werror)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
