# Shared by `run` and `full`: installs programs, and runs steps whose output is printed at their end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# install <program to look for> <package>, pairwise: packages of Debian; what is there already costs nothing.
install_programs() {
  local missing=()
  while [ $# -gt 0 ]; do
    sh -c "$1" >/dev/null 2>&1 || missing+=($2)
    shift 2
  done
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
}

# step <name> <command…>: a step that fails is named at the end, and stops no other.
step() {
  local name=$1 begin=$SECONDS code=0
  shift
  "$@" >"$logs/$name" 2>&1 || code=$?
  [ $code -eq 0 ] || echo "$name" >>"$logs/failed"
  # The lanes print one at a time.
  {
    flock 9
    printf '\n=== %s\n' "$name"
    cat "$logs/$name"
    printf '=== %s: exit code %d after %d s\n' "$name" "$code" $((SECONDS - begin)) | tee -a "$logs/summary"
  } 9>"$logs/lock"
}

python_module() {
  # Debian's packages belong to its own Python, which another one on the path may hide.
  local python=/usr/bin/python3
  ! python3 -c 'import pytest, boto3' 2>/dev/null || python=python3
  "$python" -m pytest -q test/python
}

# Waits for the lanes; ends with 1 if a step has failed.
finish() {
  wait
  printf '\n'
  cat "$logs/summary"
  [ ! -e "$logs/failed" ] || { echo "These steps failed: $(paste -sd ' ' "$logs/failed")"; exit 1; }
}
