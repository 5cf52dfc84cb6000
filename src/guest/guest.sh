# What the programs of a runner share: how they speak, how they check what they are told, and how they pass on TERM.
# Read with `.` by the others, never run by itself.

# All absolute paths lie below it. Empty but in tests.
guest_root=${TUIST_GUEST_ROOT-}

# To the log, which tells no secret.
say() {
  printf '%s %s: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "${0##*/}" "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# whole_number NAME VALUE LEAST MOST: ends the program where VALUE is no whole number between the two.
whole_number() {
  case $2 in
    '' | *[!0-9]* | ??????*) fail "$1 must be a whole number from $3 to $4" ;;
  esac
  if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then fail "$1 must be a whole number from $3 to $4"; fi
}

child=
# How it is told to end.
child_signal=TERM
ended_with=
is_signalled=
must_end=

# Runs a command beside this shell, which can so hear a signal while it waits. Leaves its exit status in $ended_with.
run_and_wait() {
  "$@" &
  child=$!
  wait_for_child
}

# A signal ends the wait and not the child: what counts is how the child ended in the end.
wait_for_child() {
  # It may have come before there was a child to pass it on to.
  if [ -n "$must_end" ]; then kill -s "$child_signal" "$child" 2>/dev/null || :; fi
  ended_with=
  while :; do
    is_signalled=
    child_status=0
    wait "$child" || child_status=$?
    # Asked for twice, a shell may have forgotten it.
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
