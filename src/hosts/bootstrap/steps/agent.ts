/**
 * The agent as a launchd job: a folder for each version, a link to the current one, the kubeconfig, and the job itself.
 *
 * A job whose file is unchanged is restarted in place with `kickstart -k`. Each new registration counts against Background
 * Task Management of macOS, which at some point no longer starts the job again when it ends.
 */
import { createHash } from 'node:crypto';
import { agentLabel, agentPaths, agentPlist } from './agent-plist.ts';
import type { Stdin } from '../ssh/port.ts';
import { quoted, type Change, type Facts, type HostConfig, type RunScript, type Step } from './step.ts';

const { plist, kubeconfig, token, versions, current, state, log } = agentPaths;
/** Where uploads land; the folder belongs to the user of the bootstrap. */
const staging = '/var/tmp/muster-uploads';

export const agentStep: Step = {
  name: 'agent',
  probe: () => ({
    name: 'agent-probe',
    body: `digest() { if sudo -n test -e "$root$1"; then sudo -n shasum -a 256 "$root$1" | cut -d ' ' -f 1; else echo none; fi; }
echo "root=$root"
echo "current=$(readlink "$root${current}" 2>/dev/null | sed 's:.*/::' || true)"
echo "plist=$(digest ${plist})"
echo "kubeconfig=$(digest ${kubeconfig})"
if sudo -n test -s "$root${token}"; then echo token=present; else echo token=none; fi
echo "pid=$(sudo -n launchctl print system/${agentLabel} 2>/dev/null | sed -n 's/.*pid = \\([0-9]*\\).*/\\1/p' | head -n 1)"`,
  }),
  plan: (config, facts) => [
    ...(facts['current'] === folderOf(config) ? [] : ['the agent has another version']),
    ...(facts['kubeconfig'] === sha256(config.agent.kubeconfig) ? [] : ['the kubeconfig differs']),
    ...(facts['token'] === 'present' ? [] : ['the agent has no token']),
    ...(facts['plist'] === sha256(plistOf(config)) ? [] : ['the launchd job differs']),
    ...((facts['pid'] ?? '') === '' ? ['the agent does not run'] : []),
  ],
  apply: (config, facts) => [
    ...(facts['current'] === folderOf(config) ? [] : payloadChanges(config, facts)),
    ...(facts['token'] === 'present' ? [] : [privateFile(config, token, config.agent.token)]),
    ...(facts['kubeconfig'] === sha256(config.agent.kubeconfig)
      ? []
      : [privateFile(config, kubeconfig, Buffer.from(config.agent.kubeconfig))]),
    reload(config),
  ],
  prove: ({ agent }) => ({
    name: 'agent-proof',
    body: `pid() { sudo -n launchctl print system/${agentLabel} 2>/dev/null | sed -n 's/.*pid = \\([0-9]*\\).*/\\1/p' | head -n 1; }
first=$(pid)
sleep ${agent.settleSeconds}
second=$(pid)
if [ -n "$first" ] && [ "$first" = "$second" ]; then echo proved=yes; else echo "proved=the process of the agent changes: '$first', then '$second'"; fi`,
  }),
};

/** The content names the folder, so that a version that was built anew is another folder. */
function folderOf({ agent: { payload } }: HostConfig): string {
  const digests = payload.files.map(({ name, source }) => `${name} ${source.sha256}`).join('\n');
  return `${payload.version}-${sha256(digests).slice(0, 12)}`;
}

function payloadChanges(config: HostConfig, { root = '' }: Facts): readonly Change[] {
  const { user, agent } = config;
  const folder = folderOf(config);
  const files = agent.payload.files.map(({ name, source }, index) => ({
    name,
    source,
    at: `${staging}/${folder}-${index}`,
  }));
  return [
    {
      kind: 'run',
      name: 'agent-staging',
      body: `sudo -n mkdir -p "$root${staging}" "$root${versions}/${folder}.new"
sudo -n chown ${quoted(user)} "$root${staging}"
chmod 700 "$root${staging}"`,
    },
    ...files.map(({ name, source, at }): Change => ({
      kind: 'upload',
      name: `agent-${name}`,
      source,
      path: `${root}${at}`,
      mode: '0644',
    })),
    {
      kind: 'run',
      name: 'agent-files',
      // The folder gets its name when it is complete, and is not changed from then on.
      body: [
        ...files.map(
          ({ name, at }) => `sudo -n mkdir -p "$(dirname "$root${versions}/${folder}.new/"${quoted(name)})"
sudo -n cp "$root${at}" "$root${versions}/${folder}.new/"${quoted(name)}
sudo -n chmod 755 "$root${versions}/${folder}.new/"${quoted(name)}`,
        ),
        `sudo -n rm -rf "$root${versions}/${folder}"`,
        `sudo -n mv "$root${versions}/${folder}.new" "$root${versions}/${folder}"`,
      ].join('\n'),
    },
    {
      kind: 'run',
      name: 'agent-current',
      body: `sudo -n ln -sfn "$root${versions}/${folder}" "$root${current}.new"
sudo -n mv -fh "$root${current}.new" "$root${current}" 2>/dev/null || sudo -n mv -fT "$root${current}.new" "$root${current}"
rm -rf "$root${staging}"/*`,
    },
  ];
}

/** The file is private before it has its content. */
function privateFile({ user }: HostConfig, path: string, content: Stdin): RunScript {
  return {
    kind: 'run',
    name: `agent-${path.slice(path.lastIndexOf('/') + 1)}`,
    stdin: content,
    body: `file="$root${path}"
folder=$(dirname "$file")
sudo -n mkdir -p "$folder"
sudo -n chown ${quoted(user)} "$folder"
sudo -n rm -f "$file.new"
sudo -n sh -c 'umask 077; cat > "$1"' sh "$file.new"
sudo -n chown ${quoted(user)} "$file.new"
sudo -n mv "$file.new" "$file"`,
  };
}

/** The exit code alone says nothing: a restart without effect and a crash loop are told by the pid. */
function reload(config: HostConfig): RunScript {
  const { user, agent } = config;
  return {
    kind: 'run',
    name: 'agent-reload',
    stdin: Buffer.from(plistOf(config)),
    deadlineMs: 30_000 + 2000 * (agent.startSeconds + agent.settleSeconds),
    body: `draft=$(mktemp "\${TMPDIR:-/tmp}/muster-plist.XXXXXX")
trap 'rm -f "$draft"' EXIT
cat > "$draft"
plist="$root${plist}"
sudo -n mkdir -p "$root${state}" "$(dirname "$root${log}")" "$(dirname "$plist")"
sudo -n touch "$root${log}"
sudo -n chown ${quoted(user)} "$root${state}" "$root${log}"
pid() { sudo -n launchctl print system/${agentLabel} 2>/dev/null | sed -n 's/.*pid = \\([0-9]*\\).*/\\1/p' | head -n 1; }
settled() {
  looks=0
  while [ $looks -lt ${agent.startSeconds} ]; do
    looks=$((looks + 1))
    new=$(pid)
    if [ -n "$new" ] && [ "$new" != "$old" ]; then
      sleep ${agent.settleSeconds}
      [ "$(pid)" = "$new" ] && return 0
      return 1
    fi
    sleep 1
  done
  return 1
}
old=$(pid)
if [ -n "$old" ] && sudo -n cmp -s "$draft" "$plist"; then
  sudo -n launchctl kickstart -k system/${agentLabel} || true
else
  sudo -n cp "$draft" "$plist.new"
  sudo -n chmod 644 "$plist.new"
  sudo -n mv "$plist.new" "$plist"
  sudo -n launchctl bootout system/${agentLabel} 2>/dev/null || true
  sudo -n launchctl bootstrap system "$plist" || true
fi
settled && exit 0
sudo -n launchctl kickstart -k system/${agentLabel} || true
settled && exit 0
echo 'the agent did not reach a running state' >&2
exit 1`,
  };
}

function plistOf({ agent, user }: HostConfig): string {
  return agentPlist(agent, user);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
