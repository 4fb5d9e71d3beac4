# SPDX-License-Identifier: Apache-2.0
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${PREFIX} ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
step(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${WORK})
step(${WORK}/consumer)
step(${PREFIX}/bin/throttlescope run ${PREFIX}/share/throttlescope/scenarios/minute-window.yaml)
