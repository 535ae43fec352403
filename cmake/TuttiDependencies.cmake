# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds what Tutti builds on. Folders link the imported targets that they need:
#   MPI::MPI_C  Boost::headers  Boost::context (static: libtutti.so is in every program)  fmt::fmt  CLI11::CLI11  nlohmann_json::nlohmann_json
#   GTest::gtest_main  GTest::gmock  benchmark::benchmark
#   tutti_hwloc       hwloc
#   tutti_libomp      libomp of LLVM 19 and its <omp.h>
#   tutti_llvm        LLVM and Clang 19 headers (SYSTEM) without libraries: for the plugin, whose
#                     symbols come from the clang that loads it
#   tutti_llvm_libs   the same with libLLVM and libclang-cpp: for tools and tests

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost REQUIRED COMPONENTS context)
find_package(spdlog QUIET)
find_package(MPI REQUIRED COMPONENTS C)

find_path(TUTTI_HWLOC_INCLUDE hwloc.h REQUIRED)
find_library(TUTTI_HWLOC_LIBRARY hwloc REQUIRED)
add_library(tutti_hwloc INTERFACE)
target_include_directories(tutti_hwloc SYSTEM INTERFACE ${TUTTI_HWLOC_INCLUDE})
target_link_libraries(tutti_hwloc INTERFACE ${TUTTI_HWLOC_LIBRARY})

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)

find_library(TUTTI_LIBOMP_LIBRARY omp REQUIRED
             HINTS ${LLVM_LIBRARY_DIR} /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_path(TUTTI_LIBOMP_INCLUDE omp.h REQUIRED
          HINTS ${LLVM_LIBRARY_DIR}/clang/19/include /usr/lib/llvm-19/lib/clang/19/include
          NO_DEFAULT_PATH)
get_filename_component(TUTTI_LIBOMP_DIR ${TUTTI_LIBOMP_LIBRARY} DIRECTORY)
add_library(tutti_libomp INTERFACE)
target_link_libraries(tutti_libomp INTERFACE ${TUTTI_LIBOMP_LIBRARY})
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # After the compiler's own headers: the folder holds Clang's versions of them too.
  target_compile_options(tutti_libomp INTERFACE -idirafter ${TUTTI_LIBOMP_INCLUDE})
endif()

if(TUTTI_BUILD_COMPILER)
  add_library(tutti_llvm INTERFACE)
  target_include_directories(tutti_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  separate_arguments(tutti_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(tutti_llvm INTERFACE ${tutti_llvm_definitions})
  target_compile_options(tutti_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(tutti_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  endif()

  find_library(TUTTI_LLVM_LIBRARY LLVM-19 REQUIRED HINTS ${LLVM_LIBRARY_DIR})
  find_library(TUTTI_CLANG_LIBRARY NAMES clang-cpp libclang-cpp.so.19.1
               REQUIRED HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH)
  add_library(tutti_llvm_libs INTERFACE)
  target_link_libraries(tutti_llvm_libs INTERFACE tutti_llvm ${TUTTI_CLANG_LIBRARY}
                                                  ${TUTTI_LLVM_LIBRARY})
endif()

# The clang that crt_*.o are compiled with, whatever compiles the rest.
find_program(TUTTI_CLANG_19 clang-19 REQUIRED HINTS ${LLVM_TOOLS_BINARY_DIR})

if(TUTTI_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TUTTI_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
