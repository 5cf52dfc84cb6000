#!/bin/sh
# Run by the runner before the first step of its job. From here on nothing ends the runner for being idle: the watchdog is
# gone before any step of a workflow runs, so that none of them can bring it back. It never fails: the job would fail with it.
state=${TUIST_RUNNER_STATE_DIR-}
if [ -d "$state" ]; then
  (: >"$state/job-started") 2>/dev/null || true
  for helper in watchdog repeater; do
    pid=$(cat "$state/$helper" 2>/dev/null) || pid=
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  done
fi
exit 0
