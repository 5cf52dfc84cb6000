/** The pure part of the steps: what differs, what is sent, and that every shell can parse it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../platform/secret.ts';
import { agentPlist } from './agent-plist.ts';
import { agentStep } from './agent.ts';
import { firewallStep } from './firewall.ts';
import { changingScript, readingScript } from './frame.ts';
import { steps } from './run-steps.ts';
import { parseFacts, type Facts, type HostConfig } from './step.ts';
import { sudoStep } from './sudo.ts';

const source = { size: 3, sha256: 'ab'.repeat(32), open: async function* () {} };
const config: HostConfig = {
  user: "m'1",
  sudoPassword: new Secret("it's a canary"),
  fence: { machineUid: 'uid-1', epoch: 2, term: 5 },
  firewall: {
    vmNetwork: '192.168.64.0/22',
    probeSource: '192.168.67.254',
    blocked: ['10.0.0.0/8'],
    blockedProbe: { address: '10.255.255.1', port: 443 },
    allowedProbe: { address: '192.0.2.1', port: 6443 },
  },
  agent: {
    nodeName: 'mac-1',
    fleet: 'macs',
    providerId: 'scw-applesilicon://fr-par-1/1111',
    nodeLabels: { b: '<2>', a: '1' },
    hostCpu: 8,
    hostMemoryMb: 16_384,
    maxPods: 5,
    kubeconfig: 'a kubeconfig',
    token: new Secret('canary token'),
    payload: {
      version: '0.1.0',
      files: [
        { name: 'agent.mjs', source },
        { name: 'guest/mac-session', source },
      ],
    },
    nodeProgram: '/usr/local/bin/node',
    runnerHome: '/opt/runner',
    environment: {},
    settleSeconds: 5,
    startSeconds: 20,
  },
};

const facts: Facts = { older: '2', session: 'boot-1', root: '' };

function scripts(): readonly (readonly [string, string])[] {
  return steps.flatMap((step) => [
    [step.probe(config).name, readingScript(step.probe(config))] as const,
    ...step
      .apply(config, facts)
      .flatMap((change) =>
        change.kind === 'run' ? [[change.name, changingScript(change, config.fence)] as const] : [],
      ),
    [step.prove(config, facts).name, changingScript(step.prove(config, facts), config.fence)] as const,
  ]);
}

describe('a script', () => {
  it.for(scripts())('%s can be parsed by every shell', ([, text]) => {
    for (const shell of ['sh', 'bash', 'zsh']) {
      const { status, stderr, error } = spawnSync(shell, ['-n'], { input: text, encoding: 'utf8' });
      if (error !== undefined) continue;
      expect([shell, status, stderr]).toEqual([shell, 0, '']);
    }
  });

  it.for(scripts())('%s contains no secret', ([, text]) => {
    expect(text).not.toContain('canary');
  });
});

describe('the plan', () => {
  it('of sudo is empty where sudo needs no password', () => {
    expect([sudoStep.plan(config, { sudo: 'yes' }), sudoStep.plan(config, { sudo: 'no' })]).toEqual([
      [],
      ['sudo asks for a password'],
    ]);
  });

  it('of the firewall asks for a proof after each boot', () => {
    const record = / (?=.*'([0-9a-f]{64} boot-1)')/.exec(firewallStep.prove(config, facts).body)?.[1] ?? '';
    const same = { ...facts, record, labels: 'vm-allowed vm-blocked vm-ssh ', older: '0' };
    const differences = firewallStep.plan(config, { ...same, session: 'boot-2' });
    expect(differences).toContain('the effect of the rules was not proved since the last boot');
    expect(firewallStep.plan(config, same)).not.toContain(differences.at(-1));
  });

  it('of the agent names what differs', () => {
    expect(agentStep.plan(config, { root: '', pid: '17' })).toEqual([
      'the agent has another version',
      'the kubeconfig differs',
      'the agent has no token',
      'the launchd job differs',
    ]);
  });
});

describe('the launchd job of the agent', () => {
  const plist = agentPlist(config.agent, 'm1');

  it('passes the providerID on', () => {
    expect(plist).toContain('<string>--provider-id=scw-applesilicon://fr-par-1/1111</string>');
  });

  it('escapes values and sorts labels, so that the same settings give the same bytes', () => {
    expect(plist).toContain('<string>--node-labels=a=1,b=&lt;2&gt;</string>');
    const labels = { a: '1', b: '<2>' };
    expect(agentPlist({ ...config.agent, nodeLabels: labels }, 'm1')).toBe(plist);
  });
});

it('facts are lines of key=value; anything else is left out', () => {
  expect(parseFacts('Welcome!\nsudo=yes\nempty=\nURL=x\nrecord=a=b c\n')).toEqual({
    sudo: 'yes',
    empty: '',
    record: 'a=b c',
  });
});
