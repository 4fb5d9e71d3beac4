// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"

#include <optional>
#include <string>
#include <string_view>

/// From a log's fields to an entry's, which holds no secret: these functions are the only ones that write texts into it.
namespace throttlescope::incident {

void clear(LogEntry &entry);
/// Bytes that it takes, its texts included.
std::size_t memoryOf(const LogEntry &entry);

/// "GET /path?query HTTP/1.1". What is no request line (a TLS hello, nothing at all) leaves method and path empty.
void setRequestLine(LogEntry &entry, std::string_view line);
/// In upper case; empty where it is none.
void setMethod(LogEntry &entry, std::string_view method);
/// A path or a whole URL: userinfo, query, fragment and path parameters with a value (`;jsessionid=…`) are left out. Bytes
/// that a URL does not hold are percent-encoded, so that every log writes a path alike; nginx's and Apache's \xHH, \" and
/// \\ are undone before. The host of a URL becomes the entry's.
void setTarget(LogEntry &entry, std::string_view target);
/// "Example.ORG:8080" → "example.org". What is no host leaves it empty.
void setHost(LogEntry &entry, std::string_view host);
/// An address, with a port or without; a host's name. What is neither, and may be a key, becomes a stand-in.
void setClient(LogEntry &entry, std::string_view client);
/// The first address of X-Forwarded-For, where one stands there.
void setForwarded(LogEntry &entry, std::string_view list);
void setCorrelation(LogEntry &entry, std::string_view value);
/// Keeps a response's header if it speaks of a limit; the name in any case. At most 16 of them, 200 bytes each.
void addHeader(LogEntry &entry, std::string_view name, std::string_view value);
/// Whether addHeader() would keep it.
bool isLimitHeader(std::string_view name);

/// The same text for the same value, and no way back without guessing the value.
std::string standIn(std::string_view value);

/// Three digits from 100 to 999. "000", "0" and "-" are no status (outer there, inner none); anything else is none at all.
std::optional<std::optional<int>> statusOf(std::string_view text);
/// "0.123" seconds. None for "-", "-1" and what is no number.
std::optional<Duration> loggedSeconds(std::string_view text);
std::optional<std::uint64_t> countOf(std::string_view text);

} // namespace throttlescope::incident
