# SPDX-License-Identifier: Apache-2.0
"""A POST through urllib3 with its Retry."""
import os
import sys

import urllib3

pool = urllib3.PoolManager(retries=urllib3.util.Retry(total=3, status_forcelist=[429], backoff_factor=0.1))
answer = pool.request("POST", os.environ["THROTTLESCOPE_URL"] + "/order", body=b"one")
sys.exit(0 if answer.status == 429 else 1)
