#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One sweep over the cores of several machines that share this folder, with GNU parallel:
#   parallel.sh SCENARIO HOST,HOST,… --vary …          (':' is this machine)
# Each shard goes on from its own file, so that a second call after a failure runs only what is missing.
set -euo pipefail
scenario=$1 hosts=$2
shift 2
shards=16
seq "$shards" | parallel --quote --sshlogin "$hosts" --workdir "$PWD" --halt soon,fail=1 \
    throttlescope sweep "$scenario" "$@" --jobs 1 --shard "{}/$shards" --out "shard-{}.jsonl" --csv >/dev/null
throttlescope sweep merge shard-*.jsonl --out sweep.jsonl
