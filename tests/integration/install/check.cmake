# SPDX-License-Identifier: Apache-2.0
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${PREFIX} ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
step(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${WORK})
step(${WORK}/consumer)
step(${PREFIX}/bin/throttlescope run ${PREFIX}/share/throttlescope/scenarios/minute-window.yaml)
