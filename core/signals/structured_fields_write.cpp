// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields.h"
#include "core/signals/structured_fields_grammar.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace throttlescope::signals::sf {

namespace {

constexpr std::int64_t kLargestThousandths = 999'999'999'999'999;
constexpr std::int64_t kOutOfRange = std::numeric_limits<std::int64_t>::max();

/// Section 4.1. The first thing that cannot be written stops the writer for good.
class Writer {
public:
    void list(const List &members)
    {
        for (const Member &each : members) {
            separate();
            member(each);
        }
    }
    void dictionary(const Dictionary &members)
    {
        for (const DictionaryMember &each : members) {
            separate();
            key(each.key);
            const auto *single = std::get_if<Item>(&each.value);
            if (single && single->value == BareItem{true}) {
                parameters(single->parameters);
            } else {
                m_out.push_back('=');
                member(each.value);
            }
        }
    }
    void item(const Item &single)
    {
        std::visit(*this, single.value);
        parameters(single.parameters);
    }
    tl::expected<std::string, std::string_view> result() &&
    {
        if (!m_error.empty())
            return tl::unexpected(m_error);
        return std::move(m_out);
    }

    void operator()(Integer value)
    {
        require(value >= -kLargestInteger && value <= kLargestInteger, "an integer has at most 15 digits");
        m_out += std::to_string(value);
    }
    void operator()(const Decimal &value)
    {
        if (!require(value.thousandths >= -kLargestThousandths && value.thousandths <= kLargestThousandths,
                "a decimal has at most 12 digits before the point"))
            return;
        const std::int64_t magnitude = std::abs(value.thousandths);
        m_out += value.thousandths < 0 ? "-" : "";
        m_out += std::to_string(magnitude / 1000);
        m_out.push_back('.');
        std::string fraction = std::to_string(1000 + magnitude % 1000).substr(1);
        while (fraction.size() > 1 && fraction.back() == '0')
            fraction.pop_back();
        m_out += fraction;
    }
    void operator()(const String &value)
    {
        require(std::all_of(value.text.begin(), value.text.end(), isVisible), "a string holds printable ASCII only");
        m_out.push_back('"');
        for (const char c : value.text) {
            if (c == '"' || c == '\\')
                m_out.push_back('\\');
            m_out.push_back(c);
        }
        m_out.push_back('"');
    }
    void operator()(const Token &value)
    {
        require(
            !value.text.empty() && isTokenStart(value.text.front()) && std::all_of(value.text.begin(), value.text.end(), isTokenCharacter),
            "a token holds characters that it must not");
        m_out += value.text;
    }
    void operator()(const ByteSequence &value)
    {
        m_out.push_back(':');
        std::uint32_t bits = 0;
        int held = 0;
        for (const char byte : value.bytes) {
            bits = (bits << 8) | static_cast<unsigned char>(byte);
            for (held += 8; held >= 6; held -= 6)
                m_out.push_back(kBase64[(bits >> (held - 6)) & 63U]);
        }
        if (held > 0) {
            m_out.push_back(kBase64[(bits << (6 - held)) & 63U]);
            m_out += held == 2 ? "==" : "=";
        }
        m_out.push_back(':');
    }
    void operator()(bool value) { m_out += value ? "?1" : "?0"; }
    void operator()(const Date &value)
    {
        m_out.push_back('@');
        (*this)(value.seconds);
    }
    void operator()(const DisplayString &value)
    {
        constexpr std::string_view hex{"0123456789abcdef"};
        require(isUtf8(value.text), "a display string is UTF-8");
        m_out += "%\"";
        for (const char c : value.text) {
            if (isVisible(c) && c != '%' && c != '"') {
                m_out.push_back(c);
                continue;
            }
            const auto byte = static_cast<unsigned char>(c);
            m_out.push_back('%');
            m_out.push_back(hex[byte >> 4]);
            m_out.push_back(hex[byte & 15]);
        }
        m_out.push_back('"');
    }

private:
    bool require(bool holds, std::string_view what)
    {
        if (!holds && m_error.empty())
            m_error = what;
        return holds;
    }
    void separate() { m_out += m_out.empty() ? "" : ", "; }
    void key(const std::string &key)
    {
        require(!key.empty() && isKeyStart(key.front()) && std::all_of(key.begin(), key.end(), isKeyCharacter),
            "a key holds characters that it must not");
        m_out += key;
    }
    void parameters(const Parameters &parameters)
    {
        for (const Parameter &each : parameters) {
            m_out.push_back(';');
            key(each.key);
            if (each.value != BareItem{true}) {
                m_out.push_back('=');
                std::visit(*this, each.value);
            }
        }
    }
    void member(const Member &member)
    {
        if (const auto *single = std::get_if<Item>(&member))
            return item(*single);
        const auto &inner = std::get<InnerList>(member);
        m_out.push_back('(');
        for (const Item &each : inner.items) {
            if (&each != &inner.items.front())
                m_out.push_back(' ');
            item(each);
        }
        m_out.push_back(')');
        parameters(inner.parameters);
    }

    std::string m_out;
    std::string_view m_error;
};

} // namespace

Decimal Decimal::rounded(double value)
{
    // The product is rounded once by the hardware, which is what makes 0.0025 a tie, as its decimal notation says it is.
    const double thousandths = std::nearbyint(value * 1000);
    if (!(std::abs(thousandths) <= 1e18))
        return {kOutOfRange};
    return {static_cast<std::int64_t>(thousandths)};
}

tl::expected<std::string, std::string_view> serialised(const Item &item)
{
    Writer writer;
    writer.item(item);
    return std::move(writer).result();
}

tl::expected<std::string, std::string_view> serialised(const List &list)
{
    Writer writer;
    writer.list(list);
    return std::move(writer).result();
}

tl::expected<std::string, std::string_view> serialised(const Dictionary &dictionary)
{
    Writer writer;
    writer.dictionary(dictionary);
    return std::move(writer).result();
}

bool isUtf8(std::string_view bytes)
{
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (lead < 0xc2 || lead > 0xf4 || bytes.size() - i < length)
            return false;
        // The second byte's range excludes overlong forms, surrogates and what is over U+10FFFF.
        const auto second = static_cast<unsigned char>(bytes[i + 1]);
        const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (second < least || second > most)
            return false;
        for (std::size_t k = 2; k < length; ++k) {
            if ((static_cast<unsigned char>(bytes[i + k]) & 0xc0U) != 0x80)
                return false;
        }
        i += length;
    }
    return true;
}

} // namespace throttlescope::signals::sf
