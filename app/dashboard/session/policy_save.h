// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <string>
#include <tl/expected.hpp>

namespace throttlescope::dashboard {

/// A policy with its edits as the block of a scenario file: "policies:\n  batch:\n    preset: saia\n    …". What a preset
/// says is left to it.
std::string policyBlock(const PolicyDraft &draft, const std::string &policy);

/// The draft's file with every edited policy replaced where it stands; comments outside them stay. It is loaded again, and
/// what does not come to the same policies is not handed out. The error is one sentence: edits of other parts of the file,
/// or a row's own key that an option stands above and a policy does not.
tl::expected<std::string, std::string> savedText(const PolicyDraft &draft);

} // namespace throttlescope::dashboard
