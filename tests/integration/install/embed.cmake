# SPDX-License-Identifier: Apache-2.0
# Builds resources/examples/embed as it was installed, and runs it.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} -G Ninja -S ${PREFIX}/${DOC}/examples/embed -B ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${WORK})
step(${WORK}/blocking)
if(CLIENT)
    execute_process(COMMAND ${WORK}/get file:///nowhere RESULT_VARIABLE result OUTPUT_VARIABLE output)
    if(NOT result EQUAL 1 OR NOT output MATCHES "http or https")
        message(FATAL_ERROR "get: ${result} ${output}")
    endif()
endif()
