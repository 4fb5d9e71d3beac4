// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace throttlescope::http {

/// A self-signed certificate with its key, both as PEM.
struct Certificate {
    std::string certificate;
    std::string key;
};

/// Made on the spot: EC P-256, for localhost, 127.0.0.1 and ::1 (RFC 5280 4.2.1.6), valid for 30 days. It is its own
/// authority, so a client that is given it needs nothing else. None: OpenSSL could not.
std::optional<Certificate> makeCertificate();

} // namespace throttlescope::http
