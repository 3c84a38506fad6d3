#!/usr/bin/env bash
# Core-seconds (user and system) of both commands at a commit and at HEAD, side by side, in turns:
#   benchmarks/core_seconds.sh COMMIT [ROUNDS]
# `book` is from nothing but pip's cache; `test` is after that build. A busy machine costs both more.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TIMEFORMAT='%U %S'
for round in $(seq "${2:-2}"); do
    for commit in "$1" HEAD; do
        git clone --quiet . "$folder/$round-$commit" && cd "$folder/$round-$commit"
        git checkout --quiet "$(git -C "$OLDPWD" rev-parse "$commit")"
        for command in book .venv/.test test; do
            spent=$({ time make "$command" >log 2>&1 || tail -3 log >&2; } 2>&1 | tail -1)
            echo "$commit $command: ${spent/ / + } s"
        done
        cd "$OLDPWD"
    done
done
