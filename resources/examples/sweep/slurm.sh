#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One sweep as a Slurm job array: sbatch slurm.sh SCENARIO --vary …; then: throttlescope sweep merge shard-*.jsonl --out sweep.jsonl
#SBATCH --job-name=throttlescope-sweep
#SBATCH --array=1-16
#SBATCH --cpus-per-task=1
#SBATCH --requeue
set -euo pipefail
scenario=$1
shift
throttlescope sweep "$scenario" "$@" --jobs 1 --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --out "shard-$SLURM_ARRAY_TASK_ID.jsonl" --csv >/dev/null
