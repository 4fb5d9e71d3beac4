# SPDX-License-Identifier: Apache-2.0
# Headers under include/throttlescope, targets Throttlescope::Core, Throttlescope::Simulator and (with Qt 6 Network)
# Throttlescope::QtNetwork, scenarios, schema and the embedding example.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(throttlescope_core PROPERTIES EXPORT_NAME Core)
set_target_properties(throttlescope_simulator PROPERTIES EXPORT_NAME Simulator)
install(TARGETS throttlescope_core throttlescope_simulator EXPORT ThrottlescopeTargets)
install(EXPORT ThrottlescopeTargets NAMESPACE Throttlescope:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Throttlescope)
install(DIRECTORY core simulator DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/throttlescope
    FILES_MATCHING PATTERN "*.h"
    PATTERN "core/net" EXCLUDE # see below
    PATTERN "simulator/http" EXCLUDE # libraries of their own that are not installed
    PATTERN "simulator/live" EXCLUDE)
# Exported apart, so that who links Core alone needs no Qt.
if(TARGET throttlescope_net)
    set_target_properties(throttlescope_net PROPERTIES EXPORT_NAME QtNetwork)
    install(TARGETS throttlescope_net EXPORT ThrottlescopeQtNetworkTargets)
    install(EXPORT ThrottlescopeQtNetworkTargets NAMESPACE Throttlescope:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Throttlescope)
    install(FILES core/net/client.h core/net/clock.h core/net/request.h core/net/result.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/throttlescope/core/net)
endif()
install(DIRECTORY resources/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/throttlescope)
install(FILES resources/scenario.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/throttlescope)
install(FILES LICENSE-APACHE-2.0 LICENSE-GPL-3.0 DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(resources/cmake/ThrottlescopeConfig.cmake.in ThrottlescopeConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Throttlescope)
write_basic_package_version_file(ThrottlescopeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ThrottlescopeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ThrottlescopeConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Throttlescope)
