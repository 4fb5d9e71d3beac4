// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/request.h"

#include <QIODevice>

#include <memory>
#include <optional>

namespace throttlescope::net {

/// Gives a body to Qt once. Qt repeats a request by itself when the connection closes before an answer, after asking the
/// body to go back to its beginning (QHttpNetworkConnectionChannel::resetUploadData): this one refuses, so that whether
/// there is another attempt stays the engine's decision.
class SendOnce final : public QIODevice {
public:
    /// `device` is open for reading and not sequential.
    explicit SendOnce(std::shared_ptr<QIODevice> device);

    qint64 size() const override { return m_device->size() - m_start; }
    bool seek(qint64 position) override;

protected:
    qint64 readData(char *data, qint64 maxSize) override;
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    std::shared_ptr<QIODevice> m_device;
    qint64 m_start;
    bool m_read = false;
};

/// A device for one attempt, open; null where the body has none to give. A sequential device is handed over as it is: Qt
/// buffers it whole before it sends, so a repetition of its own is never half a body, but it cannot be prevented.
std::shared_ptr<QIODevice> uploadOf(const Body &body);

} // namespace throttlescope::net
