// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/certificate.h"

#include <array>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace throttlescope::http {

namespace {

template <auto release>
struct Release {
    template <typename T>
    void operator()(T *value) const
    {
        release(value);
    }
};

using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Document = std::unique_ptr<X509, Release<X509_free>>;
using Memory = std::unique_ptr<BIO, Release<BIO_free>>;

constexpr long kAnHour = 3600;
constexpr long kThirtyDays = 30L * 24 * kAnHour;

bool addExtension(X509 *document, int kind, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, document, document, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>> extension{X509V3_EXT_conf_nid(nullptr, &context, kind, value)};
    return extension && X509_add_ext(document, extension.get(), -1) == 1;
}

bool setSerial(X509 *document)
{
    std::array<unsigned char, 8> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        return false;
    std::uint64_t serial = 1;
    for (const unsigned char byte : bytes)
        serial = serial << 7 | (byte & 0x7fU);
    return ASN1_INTEGER_set_uint64(X509_get_serialNumber(document), serial) == 1;
}

bool fillIn(X509 *document, EVP_PKEY *key)
{
    X509_NAME *name = X509_get_subject_name(document);
    const auto *text = reinterpret_cast<const unsigned char *>("throttlescope on the loopback");
    return X509_set_version(document, X509_VERSION_3) == 1 && setSerial(document)
        && X509_gmtime_adj(X509_getm_notBefore(document), -kAnHour) && X509_gmtime_adj(X509_getm_notAfter(document), kThirtyDays)
        && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 && X509_set_issuer_name(document, name) == 1
        && X509_set_pubkey(document, key) == 1 && addExtension(document, NID_basic_constraints, "critical,CA:TRUE")
        && addExtension(document, NID_subject_key_identifier, "hash")
        && addExtension(document, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") && X509_sign(document, key, EVP_sha256()) > 0;
}

std::string textOf(BIO *memory)
{
    char *bytes = nullptr;
    const long size = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

} // namespace

std::optional<Certificate> makeCertificate()
{
    const Key key{EVP_EC_gen("P-256")};
    const Document document{X509_new()};
    if (!key || !document || !fillIn(document.get(), key.get()))
        return std::nullopt;
    const Memory certificate{BIO_new(BIO_s_mem())};
    const Memory secret{BIO_new(BIO_s_mem())};
    if (PEM_write_bio_X509(certificate.get(), document.get()) != 1
        || PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
        return std::nullopt;
    return Certificate{textOf(certificate.get()), textOf(secret.get())};
}

} // namespace throttlescope::http
