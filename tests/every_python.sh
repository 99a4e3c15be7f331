#!/usr/bin/env bash
# The tests on every Python from 3.11 on that is found on PATH or under pyenv; those missing are named at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=()
for version in 3.11 3.12 3.13 3.14; do
  python=""
  for candidate in "python$version" "$(ls -d "$HOME"/.pyenv/versions/"$version".*/bin/python 2>/dev/null | tail -n 1)"; do
    if [ -n "$candidate" ] && "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  if [ -z "$python" ]; then
    missing+=("$version")
    continue
  fi
  echo "== Python $version ($("$python" --version))"
  venv=.venvs/$version
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e clients/python -e .
  "$venv/bin/python" -m pytest --quiet
done
echo "Not found, so not tested: ${missing[*]:-none}"
