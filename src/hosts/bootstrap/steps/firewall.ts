/**
 * The egress firewall of virtual machines: their network reaches neither private networks nor the SSH server of the host.
 * The rules are in a sub-anchor of `com.apple/*`, which the stock ruleset evaluates: a top-level anchor that is loaded
 * with `pfctl -a` has no effect until the whole ruleset is loaded, and loading that on a live host ends connections.
 */
import { createHash } from 'node:crypto';
import { quoted, type FirewallConfig, type Step } from './step.ts';

const anchor = 'com.apple/tuist.runners';
/** Older versions left tables at these scopes; only `-T kill` removes a table that is marked persist. */
const olderScopes = ['-a tuist.runners', '', `-a ${anchor}`];
const tables = ['vm_sources', 'blocked_dst'];
const rulesFile = '/etc/pf.anchors/tuist.runners';
const bootFile = '/Library/LaunchDaemons/dev.tuist.pfctl-runners.plist';
const bootLabel = 'dev.tuist.pfctl-runners';
const recordFile = '/var/db/muster-firewall';

export const firewallStep: Step = {
  name: 'firewall',
  probe: () => ({
    name: 'firewall-probe',
    body: `digest() { if [ -e "$root$1" ]; then shasum -a 256 "$root$1" | cut -d ' ' -f 1; else echo none; fi; }
echo "rules=$(digest ${rulesFile})"
echo "boot=$(digest ${bootFile})"
echo "older=$(grep -c tuist.runners "$root/etc/pf.conf" 2>/dev/null || true)"
echo "record=$(cat "$root${recordFile}" 2>/dev/null || true)"
echo "session=$(sysctl -n kern.bootsessionuuid)"
echo "labels=$(sudo -n pfctl -a ${anchor} -s labels 2>/dev/null | cut -d ' ' -f 1 | sort | tr '\\n' ' ')"`,
  }),
  plan: ({ firewall }, facts) => [
    ...(facts['rules'] === sha256(rulesOf(firewall)) ? [] : ['the rules are not on the host']),
    ...(facts['boot'] === sha256(bootPlist) ? [] : ['the rules are not loaded at boot']),
    ...((facts['older'] ?? '0') === '0' ? [] : ['pf.conf has the anchor of an older version']),
    ...(facts['labels'] === 'vm-allowed vm-blocked vm-ssh ' ? [] : ['the rules are not loaded']),
    ...(facts['record'] === recordOf(firewall, facts['session'] ?? '')
      ? []
      : ['the effect of the rules was not proved since the last boot']),
  ],
  apply: ({ firewall }, { older = '0' }) => [
    write('firewall-rules', rulesFile, rulesOf(firewall)),
    ...(older === '0' ? [] : [removeOlderAnchor]),
    {
      kind: 'run',
      name: 'firewall-tables',
      body: olderScopes
        .flatMap((scope) =>
          tables.map((table) => `sudo -n pfctl ${scope} -t ${table} -T kill 2>/dev/null || true`),
        )
        .join('\n'),
    },
    {
      kind: 'run',
      name: 'firewall-clear',
      body: `echo | sudo -n pfctl -a ${anchor} -f - 2>/dev/null || true`,
    },
    {
      kind: 'run',
      name: 'firewall-load',
      body: `sudo -n pfctl -E 2>/dev/null || true\nsudo -n pfctl -a ${anchor} -f "$root${rulesFile}"`,
    },
    write('firewall-boot', bootFile, bootPlist),
    {
      kind: 'run',
      name: 'firewall-daemon',
      body: `if ! sudo -n launchctl print system/${bootLabel} > /dev/null 2>&1; then
  sudo -n launchctl bootstrap system "$root${bootFile}"
fi`,
    },
  ],
  prove: ({ firewall }, { session = '' }) => ({
    name: 'firewall-proof',
    body: proofOf(firewall, recordOf(firewall, session)),
  }),
};

/** `flags any`: without it a pass rule cuts off the connection that loads it. `self` is static: `(self)` loads empty. */
function rulesOf({ vmNetwork, blocked }: FirewallConfig): string {
  return `table <vm_sources> { ${vmNetwork} }
table <blocked_dst> { ${blocked.join(', ')} }
block drop in quick proto tcp from <vm_sources> to self port 22 label "vm-ssh"
block drop out quick from <vm_sources> to <blocked_dst> label "vm-blocked"
pass out quick from <vm_sources> to any flags any label "vm-allowed"
`;
}

const bootPlist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${bootLabel}</string>
  <key>ProgramArguments</key>
  <array>
    <string>/sbin/pfctl</string>
    <string>-E</string>
    <string>-a</string>
    <string>${anchor}</string>
    <string>-f</string>
    <string>${rulesFile}</string>
  </array>
  <key>RunAtLoad</key><true/>
  <key>StandardErrorPath</key><string>/var/log/tuist-pfctl-runners.log</string>
</dict>
</plist>
`;

/** The stock lines of pf.conf stay: without them the sub-anchors of com.apple have no effect. */
const removeOlderAnchor = {
  kind: 'run',
  name: 'firewall-older-anchor',
  body: `draft=$(mktemp "\${TMPDIR:-/tmp}/muster-pf.XXXXXX")
trap 'rm -f "$draft"' EXIT
sed -e '/^# BEGIN tuist.runners/,/^# END tuist.runners/d' -e '/tuist\\.runners/d' "$root/etc/pf.conf" > "$draft"
sudo -n pfctl -nf "$draft"
sudo -n cp "$draft" "$root/etc/pf.conf.new"
sudo -n mv "$root/etc/pf.conf.new" "$root/etc/pf.conf"`,
} as const;

/**
 * One connection from the network of the virtual machines to a blocked and one to an allowed address: the counters of
 * exactly these two rules must rise. A time-out alone proves nothing. The address of the network is an alias of lo0, since
 * the bridge of the virtual machines exists only while one runs.
 */
function proofOf({ probeSource, blockedProbe, allowedProbe }: FirewallConfig, record: string): string {
  return `count() { sudo -n pfctl -a ${anchor} -s labels | awk -v label="$1" '$1 == label { print $3 }'; }
sudo -n ifconfig lo0 alias ${probeSource}/32
trap 'sudo -n ifconfig lo0 -alias ${probeSource}' EXIT
blocked=$(count vm-blocked)
allowed=$(count vm-allowed)
if nc -z -w 2 -s ${probeSource} ${blockedProbe.address} ${blockedProbe.port}; then
  echo 'proved=a blocked address was reached'
  exit 0
fi
if [ "$(count vm-blocked)" -le "$blocked" ]; then
  echo 'proved=the rule that blocks was not evaluated'
  exit 0
fi
nc -z -w 2 -s ${probeSource} ${allowedProbe.address} ${allowedProbe.port} || true
if [ "$(count vm-allowed)" -le "$allowed" ]; then
  echo 'proved=the rule that allows was not evaluated'
  exit 0
fi
echo ${quoted(record)} | sudo -n tee "$root${recordFile}" > /dev/null
echo proved=yes`;
}

/** A boot loads the rules anew, so a proof counts for one boot. */
function recordOf(firewall: FirewallConfig, session: string): string {
  return `${sha256(rulesOf(firewall))} ${session}`;
}

function write(name: string, path: string, text: string) {
  return {
    kind: 'run',
    name,
    stdin: Buffer.from(text),
    body: `sudo -n mkdir -p "$(dirname "$root${path}")"
sudo -n tee "$root${path}.new" > /dev/null
sudo -n chmod 644 "$root${path}.new"
sudo -n mv "$root${path}.new" "$root${path}"`,
  } as const;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
