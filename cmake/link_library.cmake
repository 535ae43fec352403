# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, with which programs are linked in the place of the shared LIBRARY: the same functions
# under the same name, but neither code nor libraries that it needs. GNU ld reads all symbols of
# those, C++'s library first, which costs a tenth of the time that a small program takes to compile.
# Parameters: LIBRARY, OUTPUT, NM, CLANG.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [A-Z] [^\n]+" symbols "${symbols}")
set(assembly "")
foreach(symbol IN LISTS symbols)
  if(NOT symbol MATCHES "^ T ([A-Za-z_0-9]+)$")
    message(FATAL_ERROR "${LIBRARY} exports what is not a function:${symbol}")
  endif()
  string(APPEND assembly
         ".globl ${CMAKE_MATCH_1}\n.type ${CMAKE_MATCH_1}, @function\n${CMAKE_MATCH_1}:\n")
endforeach()
get_filename_component(name ${LIBRARY} NAME)
file(WRITE ${OUTPUT}.s "${assembly}.skip 1\n.section .note.GNU-stack,\"\",@progbits\n")
execute_process(COMMAND ${CLANG} -shared -nostdlib -Wl,-soname,${name} ${OUTPUT}.s -o ${OUTPUT}
                COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.s)
