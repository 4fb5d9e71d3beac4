// SPDX-License-Identifier: Apache-2.0
#include "core/version.h"

namespace throttlescope {

std::string_view version()
{
    return THROTTLESCOPE_VERSION;
}

} // namespace throttlescope
