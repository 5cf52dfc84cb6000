#!/bin/sh
# The runner runs this hook before the first step of its job. The hook ends the idle watchdog before a step of the
# workflow runs, so that no step can trigger it. The hook never fails, because a failure would fail the job.
state=${TUIST_RUNNER_STATE_DIR-}
if [ -d "$state" ]; then
  (: >"$state/job-started") 2>/dev/null || true
  for helper in watchdog repeater; do
    pid=$(cat "$state/$helper" 2>/dev/null) || pid=
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  done
fi
exit 0
