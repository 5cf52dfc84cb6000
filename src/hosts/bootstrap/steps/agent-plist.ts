/** The launchd job of the agent. The same settings give the same bytes: an unchanged file is restarted in place. */
import type { AgentConfig } from './step.ts';

export const agentLabel = 'dev.muster.agent';
export const agentPaths = {
  plist: `/Library/LaunchDaemons/${agentLabel}.plist`,
  kubeconfig: '/etc/muster-agent/kubeconfig',
  token: '/etc/muster-agent/token',
  versions: '/usr/local/lib/muster-agent',
  current: '/usr/local/lib/muster-agent/current',
  state: '/var/lib/muster-agent',
  log: '/var/log/muster-agent.log',
} as const;

export function agentPlist(agent: AgentConfig, user: string): string {
  const { log } = agentPaths;
  const environment = {
    HOME: `/Users/${user}`,
    PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    ...agent.environment,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${string('Label', agentLabel)}
${string('UserName', user)}
  <key>ProgramArguments</key>
  <array>
${programOf(agent)
  .map((text) => `    <string>${escaped(text)}</string>`)
  .join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment)
  .map(([name, value]) => `  ${string(name, value)}`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>AbandonProcessGroup</key><true/>
${string('StandardOutPath', log)}
${string('StandardErrorPath', log)}
</dict>
</plist>
`;
}

function programOf(agent: AgentConfig): readonly string[] {
  const { current, kubeconfig, token, state } = agentPaths;
  const labels = Object.entries(agent.nodeLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  return [
    agent.nodeProgram,
    `${current}/agent.mjs`,
    'agent',
    `--node-name=${agent.nodeName}`,
    `--fleet=${agent.fleet}`,
    `--kubeconfig=${kubeconfig}`,
    `--token-file=${token}`,
    `--host-cpu=${agent.hostCpu}`,
    `--host-memory-mb=${agent.hostMemoryMb}`,
    `--max-pods=${agent.maxPods}`,
    ...(labels.length === 0 ? [] : [`--node-labels=${labels.join(',')}`]),
    `--provider-id=${agent.providerId}`,
    `--state-folder=${state}`,
    `--guest-programs=${current}/guest`,
    `--runner-home=${agent.runnerHome}`,
    ...Object.keys(agent.environment).map((name) => `--pass-env=${name}`),
  ];
}

function string(key: string, value: string): string {
  return `  <key>${escaped(key)}</key><string>${escaped(value)}</string>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
