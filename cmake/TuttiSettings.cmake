# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level, warnings, sanitizers, and the layout of the build tree, which is the installed
# one: bin/ has the commands, lib/tutti/ everything that they load.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(TUTTI_BIN_DIR ${CMAKE_BINARY_DIR}/bin)
set(TUTTI_LIB_DIR ${CMAKE_BINARY_DIR}/lib/tutti)

# What every target of the project is compiled with.
add_library(tutti_options INTERFACE)
target_compile_options(tutti_options INTERFACE -Wall -Wextra)
target_include_directories(tutti_options INTERFACE ${PROJECT_SOURCE_DIR})
if(TUTTI_EXTRA_BACKENDS)
  target_include_directories(tutti_options INTERFACE ${TUTTI_EXTRA_BACKENDS})
  if(EXISTS ${TUTTI_EXTRA_BACKENDS}/abi/backends.def)
    target_compile_definitions(tutti_options INTERFACE
                               TUTTI_EXTRA_BACKENDS="${TUTTI_EXTRA_BACKENDS}/abi/backends.def")
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(tutti_options INTERFACE
                         $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety -Werror=thread-safety>)
endif()
if(TUTTI_SANITIZE)
  target_compile_options(tutti_options INTERFACE -fsanitize=${TUTTI_SANITIZE}
                                                 -fno-omit-frame-pointer)
  target_link_options(tutti_options INTERFACE -fsanitize=${TUTTI_SANITIZE})
endif()
