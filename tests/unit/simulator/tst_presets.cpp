// SPDX-License-Identifier: Apache-2.0
#include "preset_policy.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;

/// The presets of what people would pick instead, by the table of the shared vectors (retry-engines.md). Those of the documents
/// are in tst_loader_layers; what these do is in tst_preset_vectors.
class TestPresets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesAreThoseOfTheTable_data();
    void valuesAreThoseOfTheTable();
};

void TestPresets::valuesAreThoseOfTheTable_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    const auto row = [](const char *name, const char *path, const char *value) {
        QTest::newRow(qPrintable(QString{"%1 %2"}.arg(name, path))) << QString{name} << QString{path} << QString{value};
    };
    row("aws-standard", "replay", "safe");
    row("aws-standard", "max_attempts", "3");
    row("aws-standard", "rate_limit.hint", "exact");
    row("aws-standard", "rate_limit.hint_headers", "[x-amz-retry-after]");
    row("aws-standard", "rate_limit.max_wait", "20s");
    row("aws-standard", "rate_limit.over_max_wait", "clamp");
    row("aws-standard", "backoff.base", "1s");
    row("aws-standard", "backoff.max", "20s");
    row("aws-standard", "backoff.jitter", "full");
    row("aws-standard", "budget", "{token_bucket: {capacity: 500, cost: 5, timeout_cost: 10}}");
    row("aws-standard-2026", "max_attempts", "3");
    row("aws-standard-2026", "rate_limit.hint", "{within: 5s}");
    row("aws-standard-2026", "rate_limit.hint_on", "all");
    row("aws-standard-2026", "rate_limit.backoff", "{kind: exponential, base: 1s, factor: 2, max: 20s, jitter: full}");
    row("aws-standard-2026", "backoff.base", "50ms");
    row("aws-standard-2026", "budget", "{token_bucket: {capacity: 500, cost: 14, timeout_cost: 14, throttle_cost: 5}}");
    row("envoy", "replay", "safe");
    row("envoy", "max_attempts", "2");
    row("envoy", "rate_limit.hint", "{spread: 1.5}");
    row("envoy", "rate_limit.max_wait", "5m");
    row("envoy", "backoff.base", "25ms");
    row("envoy", "backoff.max", "250ms");
    row("envoy", "backoff.jitter", "full");
    row("envoy", "budget", "{ratio: {percent: 20, min_in_flight: 3, memory: 10s}}");
    row("polly", "replay", "safe");
    row("polly", "max_attempts", "4");
    row("polly", "rate_limit.hint", "exact");
    row("polly", "backoff.base", "2s");
    row("polly", "backoff.jitter", "decorrelated_v2");
    row("polly", "breaker.trip", "{ratio: {of: 10%, window: 30s, minimum: 100}}");
    row("polly", "breaker.open_for", "5s");
    row("polly", "breaker.probes.count", "1");
    row("resilience4j", "replay", "safe");
    row("resilience4j", "max_attempts", "3");
    row("resilience4j", "rate_limit.hint", "ignore");
    row("resilience4j", "rate_limit.hint_on", "all");
    row("resilience4j", "backoff.base", "500ms");
    row("resilience4j", "backoff.factor", "1.5");
    row("resilience4j", "backoff.jitter", "{plus_minus: 50%}");
    row("resilience4j", "breaker.open_for", "60s");
    row("resilience4j", "breaker.probes.count", "10");
    row("urllib3", "replay", "none");
    row("urllib3", "writes", "never");
    row("urllib3", "max_attempts", "11");
    row("urllib3", "rate_limit.max_wait", "6h");
    row("urllib3", "rate_limit.over_max_wait", "clamp");
    row("urllib3", "rate_limit.zero_hint", "as_no_hint");
    row("urllib3", "backoff.first", "0s");
    row("urllib3", "backoff.max", "2m");
    row("urllib3", "backoff.jitter", "{additive: 0s}");
    row("curl", "replay", "safe");
    row("curl", "max_attempts", "4");
    row("curl", "total_timeout", "none");
    row("curl", "rate_limit.max_wait", "6h");
    row("curl", "rate_limit.over_max_wait", "clamp");
    row("curl", "backoff.base", "1s");
    row("curl", "backoff.max", "10m");
    row("curl", "backoff.jitter", "none");
    row("undici", "replay", "none");
    row("undici", "writes", "never");
    row("undici", "max_attempts", "6");
    row("undici", "rate_limit.max_wait", "30s");
    row("undici", "rate_limit.over_max_wait", "clamp");
    row("undici", "backoff.base", "500ms");
    row("undici", "backoff.max", "30s");
    row("undici", "backoff.jitter", "none");
}

void TestPresets::valuesAreThoseOfTheTable()
{
    QFETCH(QString, name);
    QFETCH(QString, path);
    const std::string value = policyValue(preset(name.toStdString()), path.toStdString());
    QTEST(value.empty() ? QString{"none"} : QString::fromStdString(value), "value");
}

QTEST_APPLESS_MAIN(TestPresets)
#include "tst_presets.moc"
