import { expect, it } from 'vitest';
import { parseScript } from './script.ts';

it('reads one fault per line, with times such as 1m30s', () => {
  const script = [
    '# a comment',
    'on worker-a/kube/update configmaps#2 reply-lost silent=true   # and another',
    '',
    'at 1m30s crash worker-a restart=5s',
    'at 250ms clog worker-b kube-watch for=2m keeps=false',
    'at 1h clock-jump worker-a by=-90s',
    'at 0 write-outage kube for=1h',
    'at 7s act force-delete',
  ].join('\n');
  expect(parseScript(script)).toEqual([
    { on: 'worker-a/kube/update configmaps#2', fault: { kind: 'reply-lost', silent: true } },
    { atMs: 90_000, fault: { kind: 'crash', process: 'worker-a', restartMs: 5000 } },
    {
      atMs: 250,
      fault: { kind: 'clog', process: 'worker-b', link: 'kube-watch', forMs: 120_000, keeps: false },
    },
    { atMs: 3_600_000, fault: { kind: 'clock-jump', process: 'worker-a', ms: -90_000 } },
    { atMs: 0, fault: { kind: 'write-outage', service: 'kube', forMs: 3_600_000 } },
    { atMs: 7000, fault: { kind: 'act', name: 'force-delete' } },
  ]);
});

it.for([
  ['crash worker-a', 'line 1: it must begin with "on EFFECT" or "at TIME"'],
  ['\nat soon crash worker-a', 'line 2: soon is no time'],
  ['at 5s explode worker-a', 'line 1: ✖ Invalid'],
  ['at 5s pause worker-a for=banana', 'forMs'],
  ['at 5s crash worker-a worker-b', 'Unrecognized key: "worker-b"'],
  ['on worker-a/kube/get x#1 late', 'ms'],
] as const)('%j is refused: %s', ([script, message]) => {
  expect(() => parseScript(script)).toThrow(message);
});
