// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/http/scenario_server.h"

#include <QByteArray>
#include <QString>
#include <QTemporaryDir>
#include <optional>
#include <string>

/// What `serve` leaves for others to find: where it listens, and whom to trust.
namespace throttlescope::cli {

/// The variable that a client of this server reads: "THROTTLESCOPE_URL_SAIA".
std::string urlVariable(const std::string &server);

/// Where the certificate stands that belongs to a ready file.
std::string certificateBeside(const std::string &readyFile);

/// Writes the certificate beside the ready file, or into a folder of its own that goes with the value.
class CertificateFile {
public:
    /// False: said on stderr.
    bool write(const std::string &pem, const std::string &readyFile);
    const QString &path() const { return m_path; } ///< empty: none was written

private:
    std::optional<QTemporaryDir> m_folder;
    QString m_path;
};

/// Removes the file, if it is one: a pipe or a device stays.
void removeReadyFile(const std::string &file);
/// The ready file goes with the run.
class ReadyFileGuard {
public:
    explicit ReadyFileGuard(std::string file)
        : m_file(std::move(file))
    {
    }
    ~ReadyFileGuard() { removeReadyFile(m_file); }
    ReadyFileGuard(const ReadyFileGuard &) = delete;
    ReadyFileGuard &operator=(const ReadyFileGuard &) = delete;

private:
    std::string m_file;
};

/// {"pid", "scenario", "servers": [{"name", "url", "port"}], "certificate"}, there as a whole or not at all.
/// False: said on stderr.
bool writeReadyFile(
    const std::string &file, const std::string &scenario, const std::vector<http::Endpoint> &endpoints, const QString &certificate);

} // namespace throttlescope::cli
