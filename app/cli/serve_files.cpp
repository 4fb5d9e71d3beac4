// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_files.h"

#include "core/engine/outcome.h"
#include "core/journal/json_line.h"

#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

bool writeTo(QFileDevice &file, const std::string &text)
{
    const auto size = static_cast<qint64>(text.size());
    return file.open(QIODevice::WriteOnly) && file.write(text.data(), size) == size && file.flush();
}

/// There as a whole or not at all; but what is no file of its own (a pipe, a device, a link to one) is written as it is.
bool writeWhole(const QString &name, const std::string &text)
{
    const QFileInfo about{name};
    QSaveFile whole{name};
    QFile plain{name};
    const bool direct = about.isSymLink() || (about.exists() && !about.isFile());
    const bool written = direct ? writeTo(plain, text) : writeTo(whole, text) && whole.commit();
    if (!written)
        fmt::print(stderr, "throttlescope: {} cannot be written ({})\n", name.toStdString(),
            (direct ? plain.errorString() : whole.errorString()).toStdString());
    return written;
}

} // namespace

std::string urlVariable(const std::string &server)
{
    std::string name = upperCase(server);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }, '_');
    return "THROTTLESCOPE_URL_" + name;
}

std::string certificateBeside(const std::string &readyFile)
{
    return readyFile + ".pem";
}

bool CertificateFile::write(const std::string &pem, const std::string &readyFile)
{
    if (pem.empty())
        return true;
    if (readyFile.empty()) {
        m_folder.emplace();
        m_path = m_folder->filePath("certificate.pem");
    } else {
        m_path = QString::fromStdString(certificateBeside(readyFile));
    }
    return writeWhole(m_path, pem);
}

void removeReadyFile(const std::string &file)
{
    const QString name = QString::fromStdString(file);
    const QFileInfo about{name};
    if (!file.empty() && about.isFile() && !about.isSymLink())
        QFile::remove(name);
}

bool writeReadyFile(
    const std::string &file, const std::string &scenario, const std::vector<http::Endpoint> &endpoints, const QString &certificate)
{
    std::string text;
    journal::JsonLine line{text};
    line.member("pid", static_cast<std::int64_t>(getpid()));
    line.member("scenario", scenario);
    line.open("servers", '[');
    for (const http::Endpoint &endpoint : endpoints) {
        line.openItem();
        line.member("name", endpoint.server);
        line.member("url", endpoint.url);
        line.member("port", endpoint.port);
        line.close('}');
    }
    line.close(']');
    if (!certificate.isEmpty())
        line.member("certificate", QFileInfo{certificate}.absoluteFilePath().toStdString());
    line.end();
    return writeWhole(QString::fromStdString(file), text + '\n');
}

} // namespace throttlescope::cli
