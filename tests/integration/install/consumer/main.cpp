// SPDX-License-Identifier: Apache-2.0
#include "core/engine/backoff.h"
#include "simulator/scenario/loader.h"

int main()
{
    using namespace throttlescope;
    // 500 ms doubled twice is 2 s.
    return plainBackoff(Backoff{}, 3) == Duration{2s} && !loadScenarioText("", "nothing.yaml") ? 0 : 1;
}
