# SPDX-License-Identifier: Apache-2.0
"""Two GETs through urllib3 with its Retry, as its documentation shows it."""
import os
import sys

import urllib3

retry = urllib3.util.Retry(total=3, status_forcelist=[429], backoff_factor=0.1)
pool = urllib3.PoolManager(retries=retry)
statuses = [pool.request("GET", os.environ["THROTTLESCOPE_URL"] + path).status for path in ("/first", "/second")]
sys.exit(0 if statuses == [200, 200] else 1)
