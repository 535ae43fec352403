# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The functions that the folders describe themselves with.

# What starts tests: it ends what hangs, and says where that stands. The slowest test takes 25 s on two
# cores that have other work to do as well.
if(TUTTI_BUILD_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(TUTTI_LIMITED ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/test/limits.py 600)
  # It links the many programs of tests in a third of the time.
  find_program(TUTTI_LLD ld.lld-19)
  if(TUTTI_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(TUTTI_TEST_LINKER --ld-path=${TUTTI_LLD})
  endif()
endif()

# Reading headers is most of what compiling takes, so those of the standard library and of fmt are read
# once for all libraries of the runtime, and with GoogleTest's once for all tests. Sources include what
# they use all the same: CMAKE_DISABLE_PRECOMPILE_HEADERS shows it.
function(tutti_precompile_headers)
  # Of a test that fails its message says the line: describing lines to debuggers takes a quarter of
  # compiling tests, and the debug build does it.
  add_library(tutti_test_options INTERFACE)
  if(TUTTI_SANITIZE)
    target_compile_options(tutti_test_options INTERFACE -g0)
  else()
    target_compile_options(tutti_test_options INTERFACE $<$<CONFIG:RelWithDebInfo>:-g0>)
  endif()

  set(headers <algorithm> <array> <atomic> <bit> <chrono> <cstdint> <cstring> <deque>
              <functional> <map> <memory> <mutex> <optional> <random> <set> <span>
              <string> <string_view> <thread> <unordered_map> <utility> <vector>
              ${PROJECT_SOURCE_DIR}/base/format.h)
  add_library(tutti_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(tutti_precompiled PRIVATE tutti_options)
  target_precompile_headers(tutti_precompiled PRIVATE ${headers})
  if(TUTTI_BUILD_TESTS) # Programs are compiled with -fPIE, and what is precompiled must be as well.
    add_executable(tutti_precompiled_tests EXCLUDE_FROM_ALL
                   ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(tutti_precompiled_tests PRIVATE tutti_options tutti_test_options
                                                          GTest::gmock)
    target_precompile_headers(tutti_precompiled_tests PRIVATE ${headers} <gtest/gtest.h>
                                                              <gmock/gmock.h>)
  endif()
endfunction()

# tutti_compile_together(TARGET FROM SRCS DEPS)
#
# Compiles eight sources of TARGET as one (CMake's unity builds; the option TUTTI_UNITY), and lets them take
# what FROM has precompiled: not beside LLVM, which has options of its own. Not where there is C.
function(tutti_compile_together target from sources dependencies)
  if("${sources}" MATCHES "\\.c(;|$)")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TUTTI_UNITY})
  if(TUTTI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # It takes sources that are included for headers.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
  if(NOT "${dependencies}" MATCHES "llvm|frontend_xmp|kernel_targets|tutti_target")
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# tutti_add_library(NAME SRCS ... DEPS ... [SHARED])
#
# A static, position-independent library, or with SHARED lib/tutti/libNAME.so, which is installed.
# A library without sources (headers only) is an interface. DEPS are public.
function(tutti_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "" "SRCS;DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tutti_add_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SRCS)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tutti_options ${arg_DEPS})
    return()
  endif()
  if(arg_SHARED)
    add_library(${name} SHARED ${arg_SRCS})
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${TUTTI_LIB_DIR})
    install(TARGETS ${name} LIBRARY DESTINATION lib/tutti)
  else()
    add_library(${name} STATIC ${arg_SRCS})
  endif()
  target_link_libraries(${name} PUBLIC tutti_options ${arg_DEPS})
  tutti_compile_together(${name} tutti_precompiled "${arg_SRCS}" "${arg_DEPS}")
endfunction()

# tutti_compile_alone(SOURCES ...)
#
# These are compiled alone where others of their target are compiled together: they have names, in
# anonymous namespaces, that other sources of their target have as well.
function(tutti_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tutti_precompile_clang(TARGET)
#
# Reads Clang's headers once for all sources of TARGET.
function(tutti_precompile_clang target)
  target_precompile_headers(${target} PRIVATE
    <clang/AST/ASTContext.h> <clang/AST/RecursiveASTVisitor.h> <clang/Frontend/CompilerInstance.h>
    <clang/Lex/Preprocessor.h> <clang/Sema/Sema.h>)
endfunction()

# tutti_precompile_llvm(TARGET): the same with what passes use of LLVM's headers.
function(tutti_precompile_llvm target)
  target_precompile_headers(${target} PRIVATE
    <llvm/ADT/DenseMap.h> <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h> <llvm/ADT/SmallPtrSet.h>
    <llvm/Analysis/LoopInfo.h> <llvm/Analysis/ScalarEvolutionExpressions.h>
    <llvm/Analysis/ValueTracking.h> <llvm/IR/Dominators.h> <llvm/IR/IRBuilder.h>
    <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h>
    <llvm/IR/PatternMatch.h> <llvm/Transforms/Utils/BasicBlockUtils.h>
    <llvm/Transforms/Utils/Cloning.h> <llvm/Transforms/Utils/Local.h>)
endfunction()

# tutti_add_test(NAME [NEEDS_WINDOW] [THREADS] SRCS ... DEPS ...)
#
# A GoogleTest program and its ctest entry (label "unit"). NEEDS_WINDOW: all of its tests map
# the window, which cannot be done with ThreadSanitizer. THREADS (label "threads" as well): some start
# several threads, and it takes little to build.
function(tutti_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NEEDS_WINDOW;THREADS" "" "SRCS;DEPS")
  if(arg_NEEDS_WINDOW AND TUTTI_SANITIZE MATCHES thread)
    return() # ThreadSanitizer has its shadow at the addresses of the window.
  endif()
  tutti_add_test_program(${name} SRCS ${arg_SRCS} DEPS ${arg_DEPS})
  if(TUTTI_BUILD_TESTS)
    add_test(NAME ${name} COMMAND ${TUTTI_LIMITED} $<TARGET_FILE:${name}>)
    set_tests_properties(${name} PROPERTIES LABELS unit)
    if(arg_THREADS)
      set_tests_properties(${name} PROPERTIES LABELS "unit;threads")
      add_dependencies(tutti_threads_tests ${name})
    endif()
  endif()
endfunction()

# tutti_add_mpi_test(NAME RANKS n SRCS ... DEPS ...)
#
# As tutti_add_test, started as n ranks by mpiexec. The program brings its own main() if it must
# initialise MPI around GoogleTest; otherwise gtest_main's is taken.
function(tutti_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "SRCS;DEPS")
  tutti_add_test_program(${name} SRCS ${arg_SRCS} DEPS ${arg_DEPS} MPI::MPI_C)
  if(TUTTI_BUILD_TESTS)
    tutti_mpiexec_flags(flags)
    add_test(NAME ${name}
             COMMAND ${TUTTI_LIMITED} ${MPIEXEC_EXECUTABLE} ${flags} ${MPIEXEC_NUMPROC_FLAG}
                     ${arg_RANKS} $<TARGET_FILE:${name}>)
    # MPI libraries leave memory to the end of the process, some of it from modules long unloaded.
    set_tests_properties(${name} PROPERTIES LABELS unit PROCESSORS ${arg_RANKS}
                                            ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
endfunction()

# The program behind a test; ctest entries are the caller's.
function(tutti_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;DEPS")
  if(NOT TUTTI_BUILD_TESTS)
    return()
  endif()
  add_executable(${name} ${arg_SRCS})
  target_link_libraries(${name} PRIVATE tutti_options tutti_test_options ${arg_DEPS} GTest::gmock
                                        GTest::gtest_main Threads::Threads)
  target_link_options(${name} PRIVATE ${TUTTI_TEST_LINKER})
  tutti_compile_together(${name} tutti_precompiled_tests "${arg_SRCS}" "${arg_DEPS}")
  add_dependencies(tutti_unit_tests ${name})
endfunction()

# Flags that let mpiexec start more ranks than cores, in containers and as root.
function(tutti_mpiexec_flags result)
  if(NOT DEFINED CACHE{TUTTI_MPIEXEC_VERSION})
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version
                    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "\n.*" "" version "${version}")
    set(TUTTI_MPIEXEC_VERSION "${version}" CACHE INTERNAL "What mpiexec --version prints")
  endif()
  if(TUTTI_MPIEXEC_VERSION MATCHES "Open MPI|OpenRTE|PRRTE")
    set(${result} --oversubscribe --allow-run-as-root --mca btl_vader_single_copy_mechanism none
        PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# tutti_add_program(NAME SRCS ... DEPS ...): a command in bin/, installed.
function(tutti_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;DEPS")
  add_executable(${name} ${arg_SRCS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${TUTTI_BIN_DIR})
  target_link_libraries(${name} PRIVATE tutti_options ${arg_DEPS})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# tutti_backend_folders(FOLDER VARIABLE TEXT)
#
# Adds the folders of backends below FOLDER, of the tree and of TUTTI_EXTRA_BACKENDS: those that bring
# a CMakeLists.txt, but for what tests them. Sets VARIABLE to their names; if the cache has names, to
# those. TEXT says what they are.
function(tutti_backend_folders folder variable text)
  set(${variable} "" CACHE STRING "${text} (default: all)")
  set(found)
  foreach(root IN ITEMS ${PROJECT_SOURCE_DIR} ${TUTTI_EXTRA_BACKENDS})
    file(GLOB files CONFIGURE_DEPENDS ${root}/${folder}/*/CMakeLists.txt)
    foreach(file IN LISTS files)
      get_filename_component(path ${file} DIRECTORY)
      get_filename_component(name ${path} NAME)
      if(NOT name MATCHES "^(test|conformance)$")
        list(APPEND found ${name})
        set(path_of_${name} ${path})
      endif()
    endforeach()
  endforeach()
  if(NOT ${variable})
    set(${variable} ${found})
  endif()
  set(chosen)
  foreach(name IN LISTS ${variable})
    if(DEFINED path_of_${name})
      add_subdirectory(${path_of_${name}} ${CMAKE_CURRENT_BINARY_DIR}/${name})
      list(APPEND chosen ${name})
    else()
      message(FATAL_ERROR "${variable}: there is no folder ${folder}/${name}")
    endif()
  endforeach()
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()
