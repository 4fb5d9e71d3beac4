# SPDX-License-Identifier: Apache-2.0
"""The seeded fault: it takes the seconds of Retry-After for milliseconds."""
import os
import time
import urllib.error
import urllib.request

for path in ("/first", "/second"):
    for attempt in range(20):
        try:
            urllib.request.urlopen(os.environ["THROTTLESCOPE_URL"] + path).read()
            break
        except urllib.error.HTTPError as refusal:
            time.sleep(float(refusal.headers["Retry-After"]) / 1000)
