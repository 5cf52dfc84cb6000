#!/bin/sh
# Makes a runner of a virtual Mac, as root and once, while its image is built. What it installs was put into /tmp/tuist.
set -eu
: "${RUNNER_VERSION:?}" "${RUNNER_SHA256:?}"
from=/tmp/tuist
home=/Users/runner

make_user() {
  # Known to everybody: the machine lives for one job and nobody can reach it but its host.
  sysadminctl -addUser runner -fullName runner -password runner -admin -home "$home"
  createhomedir -c -u runner >/dev/null
  printf 'runner ALL=(ALL) NOPASSWD: ALL\n' >/etc/sudoers.d/runner
  chmod 0440 /etc/sudoers.d/runner
  # Programs with windows, simulators among them, run only for somebody who is logged in.
  sysadminctl -autologin set -userName runner -password runner
}

stay_awake() {
  pmset -a sleep 0 displaysleep 0 disksleep 0
  sudo -u runner defaults -currentHost write com.apple.screensaver idleTime 0
  touch "$home/.skipbuddy" /var/db/.AppleSetupDone
}

install_runner() {
  archive=/tmp/actions-runner.tar.gz
  name=actions-runner-osx-arm64-$RUNNER_VERSION.tar.gz
  curl -q --fail --silent --show-error --location --proto '=https' --output "$archive" \
    "https://github.com/actions/runner/releases/download/v$RUNNER_VERSION/$name"
  printf '%s  %s\n' "$RUNNER_SHA256" "$archive" | shasum -a 256 --check -
  install -d -o runner -g staff "$home/actions-runner" "$home/work"
  sudo -u runner tar -xzf "$archive" -C "$home/actions-runner"
  rm "$archive"
}

install_programs() {
  install -d -o root -g wheel -m 0755 /opt/tuist
  for program in inject-env cluster-dns mac-session dispatch-poll run-runner job-started.sh; do
    install -o root -g wheel -m 0755 "$from/$program" "/opt/tuist/$program"
  done
  install -o root -g wheel -m 0644 "$from/guest.sh" /opt/tuist/guest.sh
  install -d -o runner -g staff "$home/Library/LaunchAgents"
  install -o runner -g staff -m 0644 "$from/dev.tuist.runner.plist" "$home/Library/LaunchAgents/dev.tuist.runner.plist"
}

make_user
stay_awake
install_runner
install_programs
rm -r "$from"
