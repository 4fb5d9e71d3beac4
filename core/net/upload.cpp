// SPDX-License-Identifier: Apache-2.0
#include "core/net/upload.h"

#include <QBuffer>

namespace throttlescope::net {

SendOnce::SendOnce(std::shared_ptr<QIODevice> device)
    : m_device(std::move(device))
    , m_start(m_device->pos())
{
    open(QIODevice::ReadOnly | QIODevice::Unbuffered);
}

bool SendOnce::seek(qint64 position)
{
    const bool neverRead = m_device->size() == m_start; // an empty body is not, whether it went out or not
    return !m_read && !neverRead && position == 0 && QIODevice::seek(position);
}

qint64 SendOnce::readData(char *data, qint64 maxSize)
{
    m_read = true;
    return m_device->read(data, maxSize);
}

std::shared_ptr<QIODevice> uploadOf(const Body &body)
{
    std::shared_ptr<QIODevice> device;
    if (const auto *bytes = std::get_if<QByteArray>(&body)) {
        auto buffer = std::make_shared<QBuffer>();
        buffer->setData(*bytes);
        device = std::move(buffer);
    } else if (const auto *factory = std::get_if<DeviceFactory>(&body)) {
        device = (*factory)();
    } else if (const auto *oneShot = std::get_if<std::shared_ptr<QIODevice>>(&body)) {
        device = *oneShot;
    }
    if (!device || !(device->isReadable() || device->open(QIODevice::ReadOnly)))
        return nullptr;
    return device->isSequential() ? device : std::make_shared<SendOnce>(std::move(device));
}

} // namespace throttlescope::net
