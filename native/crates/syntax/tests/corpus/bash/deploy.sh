#!/usr/bin/env bash
# Deploys one service to the hosts of an environment.

set -euo pipefail

source "$(dirname "$0")/lib/log.sh"
. ./lib/hosts.sh

readonly DEPLOY_ROOT=/srv/apps
declare -r MAX_PARALLEL=4
declare -A HOST_STATE=()
export RELEASE_ID="${RELEASE_ID:-$(date +%s)}"
retries=3
hosts=(alpha beta)

# Prints how to use the script
# and leaves.
usage() {
  cat <<'TEXT'
deploy.sh <service> <environment>
TEXT
  exit 2
}

function upload {
  local service=$1 host=$2
  log_info "uploading $service to $host"
  rsync -az "build/$service/" "$host:$DEPLOY_ROOT/$service/$RELEASE_ID"
}

function rollback() {
  local host
  for host in "${hosts[@]}"; do
    ssh "$host" "ln -sfn previous current" || HOST_STATE[$host]=broken
  done
}

# Runs everything.
main() {
  [[ $# -eq 2 ]] || usage
  trap rollback ERR
  on_exit() { log_info "done"; }
  for host in $(hosts_of "$2"); do
    upload "$1" "$host" &
    HOST_STATE[$host]=done
  done
  wait
  if command -v notify >/dev/null; then notify "$1"; fi
}

alias redeploy='main "$@"'

main "$@"
