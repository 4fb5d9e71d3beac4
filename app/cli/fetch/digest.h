// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCryptographicHash>

#include <string>
#include <string_view>

namespace throttlescope::fetch {

/// SHA-256 in 64 hexadecimal digits.
inline std::string sha256(std::string_view bytes)
{
    const auto view = QByteArray::fromRawData(bytes.data(), static_cast<qsizetype>(bytes.size()));
    return QCryptographicHash::hash(view, QCryptographicHash::Sha256).toHex().toStdString();
}

} // namespace throttlescope::fetch
