// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/worklist.h"

#include <string>
#include <vector>

namespace throttlescope::fetch {

struct CredentialSources {
    std::string headerFile; ///< lines `Name: value`; empty: none
    std::string bearerVariable; ///< name of an environment variable; empty: none
};

struct Credentials {
    Headers headers;
    std::vector<std::string> warnings;
};

/// Never names a value. They go to every host of the list, so a list of more than one origin is refused.
OrProblem<Credentials> readCredentials(const CredentialSources &sources, const std::vector<Item> &items);

/// What is worth hiding: values and words of the credentials, but for headers such as Accept, and of the items' own headers
/// those whose names tell a credential.
std::vector<std::string> secretsIn(const Headers &credentials, const std::vector<Item> &items);

} // namespace throttlescope::fetch
