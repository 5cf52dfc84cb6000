import { expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/client/builtin-resources.ts';
import { poolRow } from './job-rows.ts';

function pod(pool: string, status: object, owner?: string): Pod {
  const labels = {
    'tuist.dev/runner-pool': pool,
    ...(owner !== undefined && { 'tuist.dev/runner-pool-owner': owner }),
  };
  return { metadata: { name: 'a', uid: 'a', resourceVersion: '1', labels }, status };
}

const polling = {
  phase: 'Pending',
  initContainerStatuses: [{ name: 'poller', state: { running: { startedAt: '2026-11-03T12:00:00Z' } } }],
};

it('a polling Pod is idle on both platforms, and a stamped Pod is at work', () => {
  const all = [
    pod('linux', {}),
    pod('linux', polling),
    pod('linux', { phase: 'Running' }, 'somebody'),
    pod('linux', { phase: 'Succeeded' }, 'somebody'),
    pod('macs', { phase: 'Running' }),
  ];
  expect(poolRow(['linux', 'macs', 'none'], all)).toEqual({
    label: 'pools',
    text: 'linux 4 (1 starting, 1 idle, 1 at work, 1 ended), macs 1 (1 idle), none 0',
  });
});
