# Shared functions of the guest programs: logging, checks of settings, and passing on TERM. Sourced by the programs,
# never run by itself.

# The root of all absolute paths. Empty except in tests.
guest_root=${TUIST_GUEST_ROOT-}

# Logs a line. Never pass a secret.
say() {
  printf '%s %s: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "${0##*/}" "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# whole_number NAME VALUE LEAST MOST: fails unless VALUE is a whole number in this range.
whole_number() {
  case $2 in
    '' | *[!0-9]* | ??????*) fail "$1 must be a whole number from $3 to $4" ;;
  esac
  if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then fail "$1 must be a whole number from $3 to $4"; fi
}

child=
# The signal that ends the child.
child_signal=TERM
ended_with=
is_signalled=
must_end=

# Runs a command in the background, so that this shell handles signals while it waits. Sets $ended_with to the exit
# status.
run_and_wait() {
  "$@" &
  child=$!
  wait_for_child
}

# A signal ends the wait but not the child, so wait again until the child has ended.
wait_for_child() {
  # A signal may have come before the child existed.
  if [ -n "$must_end" ]; then kill -s "$child_signal" "$child" 2>/dev/null || :; fi
  ended_with=
  while :; do
    is_signalled=
    child_status=0
    wait "$child" || child_status=$?
    # A shell may forget the status of a child after the first wait.
    if [ -z "$ended_with" ] || [ "$child_status" -ne 127 ]; then ended_with=$child_status; fi
    if [ -z "$is_signalled" ]; then break; fi
  done
  child=
}

pass_on_term() {
  is_signalled=yes
  must_end=yes
  if [ -n "$child" ]; then kill -s "$child_signal" "$child" 2>/dev/null || :; fi
}
