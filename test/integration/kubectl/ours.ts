/** Our own kinds, as the chart installs and the examples use them. */
import { expect } from 'vitest';
import { cells, type Flow } from './flow.ts';

export const ownFlows: readonly Flow[] = [
  {
    flow: 'every example is accepted, and a second apply changes nothing',
    run: async ({ kubectl }) => {
      const applied = await kubectl.ok('apply', '-n', 'default', '-f', 'docs/examples/');
      expect(applied.split('\n').every((line) => line.endsWith(' created'))).toBe(true);
      const again = await kubectl.ok('apply', '-n', 'default', '-f', 'docs/examples/machine-template.yaml');
      expect(again.split('\n').every((line) => line.endsWith(' unchanged'))).toBe(true);
      const [pools] = cells(await kubectl.ok('get', '-n', 'default', 'rpool', 'macos-tahoe'));
      expect(pools).toEqual(['NAME', 'REPLICAS', 'OBSERVED', 'DISPATCHLABEL', 'AGE']);
      const [hosts] = cells(await kubectl.ok('get', '-n', 'default', 'mh', '-o', 'wide'));
      expect(hosts?.join(' ')).toBe('NAME STATE CLAIM SERVER ZONE TYPE EPOCH AGE IP REASON');
    },
  },
  {
    flow: 'the definitions of the chart can be applied again',
    run: async ({ kubectl }) => {
      const again = await kubectl.ok('apply', '-f', 'charts/muster/crds');
      expect(again.split('\n').every((line) => line.endsWith(' unchanged'))).toBe(true);
      expect(await kubectl.ok('explain', 'rpool.spec.dispatchLabel')).toContain('DESCRIPTION:');
    },
  },
];
