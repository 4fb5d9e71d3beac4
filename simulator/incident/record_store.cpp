// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/record_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kAtOnce = 8'192;
static_assert(std::is_trivially_copyable_v<KeptRequest>);

} // namespace

void RecordStore::add(const KeptRequest &record)
{
    if (!m_fault.empty())
        return;
    ++m_size;
    if (m_first.size() < m_inMemory) {
        m_first.push_back(record);
        return;
    }
    m_pending.push_back(record);
    if (m_pending.size() >= kAtOnce)
        spill();
}

void RecordStore::spill()
{
    errno = 0;
    if (!m_file)
        m_file.reset(std::tmpfile());
    const bool written = m_file && std::fwrite(m_pending.data(), sizeof(KeptRequest), m_pending.size(), m_file.get()) == m_pending.size()
        && std::fflush(m_file.get()) == 0;
    if (!written)
        m_fault = fmt::format("what was read finds no room among the temporary files ({})", std::strerror(errno));
    m_pending.clear();
}

std::string RecordStore::each(const std::function<bool(const KeptRequest &)> &callback) const
{
    if (!std::all_of(m_first.begin(), m_first.end(), callback))
        return {};
    if (m_file) {
        std::vector<KeptRequest> some(kAtOnce);
        std::rewind(m_file.get());
        while (const std::size_t count = std::fread(some.data(), sizeof(KeptRequest), some.size(), m_file.get())) {
            if (!std::all_of(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count), callback))
                return {};
        }
        if (std::ferror(m_file.get()))
            return fmt::format("what was read cannot be read back ({})", std::strerror(errno));
    }
    static_cast<void>(std::all_of(m_pending.begin(), m_pending.end(), callback));
    return {};
}

} // namespace throttlescope::incident
