#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One sweep over all cores of several machines with GNU parallel: parallel.sh SCENARIO HOST,HOST,… --vary …
# Each shard goes on from its own file, so a second call after a failure runs only what is missing.
set -euo pipefail
scenario=$1 hosts=$2
shift 2
shards=16
seq "$shards" | parallel --sshlogin "$hosts" --workdir "$PWD" --halt soon,fail=1 \
    throttlescope sweep "$scenario" "$@" --jobs 1 --shard "{}/$shards" --out "shard-{}.jsonl" --csv '>' /dev/null
throttlescope sweep merge shard-*.jsonl --out sweep.jsonl
