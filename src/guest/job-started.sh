#!/bin/sh
# Run by the runner before the first step of its job. From here on nothing ends the runner for being idle: the watchdog is
# gone before any step of a workflow runs, so that none of them can bring it back. It never fails: the job would fail with it.
state=${TUIST_RUNNER_STATE_DIR-}
if [ -d "$state" ]; then
  (: >"$state/job-started") 2>/dev/null || true
  watchdog=$(cat "$state/watchdog" 2>/dev/null) || watchdog=
  if [ -n "$watchdog" ]; then kill "$watchdog" 2>/dev/null || true; fi
fi
exit 0
