#!/bin/sh
# In the place of GitHub's runner, on simulated Nodes: takes the registration, tells the simulated GitHub that the runner has
# come, and ends when the job is over. How long a job takes is in the environment.
set -eu
: "${SIM_GITHUB_URL:?must name the simulated GitHub}"
: "${SIM_CONTROL_TOKEN:?must hold the token of its control endpoint}"
look_seconds=${SIM_RUNNER_LOOK_SECONDS:-1}
comes_after_ms=${SIM_RUNNER_COMES_AFTER_MS:-200}
job_ms=${SIM_RUNNER_JOB_MS:-5000}

registration=
while [ $# -gt 0 ]; do
  case $1 in
    --jitconfig)
      registration=$2
      shift
      ;;
  esac
  shift
done

# control PATH: sends what comes in to the control endpoint, and prints the answer. The token is in no argument.
control() {
  curl -q --config /dev/fd/3 --silent --show-error --fail --max-time 10 --header 'Content-Type: application/json' \
    --data-binary @- --url "$SIM_GITHUB_URL/_control/$1" 3<<END
header = "Authorization: Bearer $SIM_CONTROL_TOKEN"
END
}

leave() {
  printf '{"runner":"%s"}' "$runner" | control runner/kill >/dev/null || :
  exit 143
}

answer=$(printf '{"jitConfig":"%s","comesAfterMs":%s,"jobMs":%s}' "$registration" "$comes_after_ms" "$job_ms" |
  control runner) || exit 2
runner=$(printf '%s' "$answer" | sed -n 's/.*"runner":"\([0-9]*\)".*/\1/p')
trap leave HUP INT TERM
echo "runner $runner has come"
has_begun=
while :; do
  seen=$(printf '{"runner":"%s"}' "$runner" | control runner/look) || seen=
  case $seen in
    *'"state":"lost"'*) exit 1 ;;
    *'"hasEnded":true'*)
      echo 'the job is over'
      exit 0
      ;;
    *'"state":"busy"'*)
      if [ -z "$has_begun" ] && [ -n "${ACTIONS_RUNNER_HOOK_JOB_STARTED-}" ]; then "$ACTIONS_RUNNER_HOOK_JOB_STARTED"; fi
      has_begun=yes
      ;;
  esac
  sleep "$look_seconds" &
  wait "$!"
done
