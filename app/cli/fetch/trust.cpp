// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/trust.h"

#include "simulator/scenario/file_text.h"

#include <QSslCertificate>

#include <fmt/format.h>

namespace throttlescope::fetch {

OrProblem<QSslConfiguration> trusting(const std::string &caFile)
{
    constexpr std::uintmax_t largest = std::uintmax_t{16} << 20;
    const auto text = readFile(caFile, largest);
    if (!text)
        return usage(fmt::format("{}: {}", caFile, text.error()));
    const auto certificates = QSslCertificate::fromData(QByteArray::fromStdString(*text), QSsl::Pem);
    if (certificates.isEmpty())
        return usage(fmt::format("{}: no certificate, expected some in PEM form", caFile));
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.addCaCertificates(certificates);
    return configuration;
}

} // namespace throttlescope::fetch
