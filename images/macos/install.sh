#!/bin/sh
# Turns a virtual Mac into a runner, as root and once, while its image is built. The files to install are in /tmp/tuist.
set -eu
: "${RUNNER_VERSION:?}" "${RUNNER_SHA256:?}" "${BUILD_USER:?}"
# Empty on a Mac; tests install into a folder.
root=${MUSTER_ROOT-}
from=$root/tmp/tuist
home=$root/Users/runner

random_password() {
  openssl rand -hex 24
}

make_user() {
  password=$(random_password)
  sysadminctl -addUser runner -fullName runner -password "$password" -admin -home "$home"
  createhomedir -c -u runner >/dev/null
  printf 'runner ALL=(ALL) NOPASSWD: ALL\n' >"$root/etc/sudoers.d/runner"
  chmod 0440 "$root/etc/sudoers.d/runner"
  # Programs with windows, such as simulators, need a user who is logged in.
  sysadminctl -autologin set -userName runner -password "$password"
}

# The base image has a user with a published password and listens for SSH. Jobs of strangers run on the network of this
# machine, so close both. The SSH session of the build continues; nothing listens from the next start on.
close_remote_login() {
  launchctl disable system/com.openssh.sshd
  launchctl disable system/com.apple.screensharing
  dscl . -passwd "/Users/$BUILD_USER" "$(random_password)"
}

stay_awake() {
  pmset -a sleep 0 displaysleep 0 disksleep 0
  sudo -u runner defaults -currentHost write com.apple.screensaver idleTime 0
  touch "$home/.skipbuddy" "$root/var/db/.AppleSetupDone"
}

install_runner() {
  archive=$root/tmp/actions-runner.tar.gz
  name=actions-runner-osx-arm64-$RUNNER_VERSION.tar.gz
  curl -q --fail --silent --show-error --location --proto '=https' --output "$archive" \
    "https://github.com/actions/runner/releases/download/v$RUNNER_VERSION/$name"
  printf '%s  %s\n' "$RUNNER_SHA256" "$archive" | shasum -a 256 --check -
  install -d -o runner -g staff "$home/actions-runner" "$home/work"
  sudo -u runner tar -xzf "$archive" -C "$home/actions-runner"
  rm "$archive"
}

install_programs() {
  install -d -o root -g wheel -m 0755 "$root/opt/tuist"
  for program in inject-env cluster-dns mac-session dispatch-poll run-runner job-started.sh; do
    install -o root -g wheel -m 0755 "$from/$program" "$root/opt/tuist/$program"
  done
  install -o root -g wheel -m 0644 "$from/guest.sh" "$root/opt/tuist/guest.sh"
  install -d -o runner -g staff "$home/Library/LaunchAgents"
  install -o runner -g staff -m 0644 "$from/dev.tuist.runner.plist" "$home/Library/LaunchAgents/dev.tuist.runner.plist"
}

make_user
stay_awake
install_runner
install_programs
close_remote_login
rm -r "$from"
