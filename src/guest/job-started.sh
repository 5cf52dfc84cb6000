#!/bin/sh
# Run by the runner before the first step of its job. From here on nothing ends the runner for being idle: the watchdog is
# gone before any step of a workflow runs, so that none of them can bring it back.
set -eu
if [ -n "${TUIST_RUNNER_STATE_DIR-}" ] && [ -d "$TUIST_RUNNER_STATE_DIR" ]; then
  : >"$TUIST_RUNNER_STATE_DIR/job-started"
  if read -r watchdog 2>/dev/null <"$TUIST_RUNNER_STATE_DIR/watchdog"; then
    kill "$watchdog" 2>/dev/null || :
  fi
fi
