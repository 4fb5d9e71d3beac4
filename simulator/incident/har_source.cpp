// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/har_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kHarBuffer = std::size_t{64} << 10;
constexpr std::size_t kLongestHarText = std::size_t{8} << 10;
constexpr std::size_t kLongestHarEntry = std::size_t{4} << 20;
constexpr std::size_t kDeepestHar = 512;
constexpr std::size_t kLongestKey = 16;
constexpr std::size_t kLogDepth = 1; // {"log": …
constexpr std::size_t kEntriesDepth = 2; // {"log": {"entries": …
constexpr std::size_t kEntryDepth = 3; // {"log": {"entries": [ …

bool isJsonBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

} // namespace

HarSource::HarSource(std::unique_ptr<ByteSource> bytes)
    : m_bytes(std::move(bytes))
    , m_buffer(kHarBuffer)
{
}

bool HarSource::next(Record &record)
{
    if (m_state == State::Over)
        return false;
    m_entry.clear();
    m_tooLong = false;
    for (;;) {
        if (m_at == m_size) {
            m_at = 0;
            m_size = m_bytes->read(m_buffer);
            if (m_size == 0)
                break;
        }
        const char c = m_buffer[m_at++];
        m_line += c == '\n' ? 1 : 0;
        const bool whole = accept(c);
        if (m_state == State::Over)
            return false;
        if (whole) {
            ++m_entries;
            m_lines = m_line;
            record = {m_tooLong ? std::string_view{} : std::string_view{m_entry}, m_entryLine, m_tooLong};
            return true;
        }
    }
    m_lines = m_line;
    if (!m_bytes->fault().empty())
        end(m_bytes->fault());
    else if (!m_open.empty() || m_inText)
        end(fmt::format("ends in the middle of the HAR, {} entry {}", m_state == State::Entry ? "within" : "behind",
            m_entries + (m_state == State::Entry ? 1 : 0)));
    else if (!m_sawLog)
        end("is no HAR, expected an object with 'log'");
    m_state = State::Over;
    return false;
}

/// True where an entry has become whole.
bool HarSource::accept(char c)
{
    if (m_inText) {
        acceptInText(c);
        return false;
    }
    if (isJsonBlank(c))
        return false;
    if (!m_begun && c != '{' && static_cast<unsigned char>(c) < 0x80) {
        end("is no HAR, expected a JSON object");
        return false;
    }
    if (c == '"') {
        m_inText = true;
        m_dropping = false;
        m_textSize = 0;
        m_hexLeft = 0;
        m_key.clear();
        keep(c);
        return false;
    }
    if (c == '{' || c == '[' || c == '}' || c == ']') {
        const bool inEntry = m_state == State::Entry;
        openOrClose(c);
        return inEntry && m_state == State::Outside;
    }
    keep(c);
    return false;
}

void HarSource::acceptInText(char c)
{
    const bool ends = c == '"' && !m_escaped;
    if (ends) {
        m_inText = false;
        keep(c);
        return;
    }
    // Cut before a character of its own: never within an escape, or within a character of several bytes.
    const bool plain = !m_escaped && m_hexLeft == 0 && c != '\\' && static_cast<unsigned char>(c) < 0x80;
    m_dropping = m_dropping || (plain && m_textSize > kLongestHarText);
    m_hexLeft = m_escaped && c == 'u' ? 4 : m_hexLeft > 0 ? m_hexLeft - 1 : 0;
    m_escaped = !m_escaped && c == '\\';
    ++m_textSize;
    if (m_state == State::Outside && m_key.size() < kLongestKey)
        m_key.push_back(c);
    if (!m_dropping)
        keep(c);
}

void HarSource::openOrClose(char c)
{
    m_begun = true;
    if (c == '{' || c == '[') {
        if (m_state == State::Outside) {
            if (m_open.size() == kLogDepth && c == '{' && m_key == "log")
                m_inLog = m_sawLog = true;
            m_inEntries = m_inEntries || (m_inLog && m_open.size() == kEntriesDepth && c == '[' && m_key == "entries");
            if (m_inEntries && m_open.size() == kEntryDepth && c == '{') {
                m_state = State::Entry;
                m_entryLine = m_line;
            }
        }
        m_key.clear();
        m_open.push_back(c);
        keep(c);
        if (m_open.size() > kDeepestHar)
            end("is no HAR, nested deeper than 512");
        return;
    }
    if (m_open.empty() || (c == '}') != (m_open.back() == '{')) {
        end(fmt::format("is damaged in line {}, '{}' closes nothing", m_line, c));
        return;
    }
    keep(c);
    m_open.pop_back();
    if (m_open.size() == kEntryDepth)
        m_state = State::Outside;
    m_inEntries = m_inEntries && m_open.size() >= kEntryDepth;
    m_inLog = m_inLog && m_open.size() >= kEntriesDepth;
    m_key.clear();
}

void HarSource::keep(char c)
{
    if (m_state != State::Entry || m_tooLong)
        return;
    m_entry.push_back(c);
    if (m_entry.size() > kLongestHarEntry) {
        m_tooLong = true;
        std::string{}.swap(m_entry);
    }
}

void HarSource::end(std::string fault)
{
    m_fault = std::move(fault);
    m_state = State::Over;
}

bool HarSource::beginsAsHar(std::string_view head)
{
    HarSource source{prefixed(std::string{head}, nullptr)};
    Record record;
    source.next(record);
    return source.m_sawLog;
}

} // namespace throttlescope::incident
