/** Changing one object with kubectl: patch, scale, label, annotate, edit, set. */
import { expect } from 'vitest';
import { configMap, documents, shelf, type Flow } from './flow.ts';

export const changingFlows: readonly Flow[] = [
  {
    flow: 'patch in its three formats, two of them for custom kinds',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a', { colours: ['red'] })), 'create', '-f', '-');
      await kubectl.ok('patch', 'sh', 'a', '--type=merge', '-p', '{"spec":{"boxes":2}}');
      const add = '[{"op":"add","path":"/spec/colours/-","value":"blue"}]';
      await kubectl.ok('patch', 'sh', 'a', '--type=json', '-p', add);
      expect(await kubectl.json('get', 'sh', 'a')).toMatchObject({
        metadata: { generation: 3 },
        spec: { boxes: 2, colours: ['red', 'blue'] },
      });
      expect(await kubectl.refused('patch', 'sh', 'a', '--type=strategic', '-p', '{}')).toContain(
        'application/strategic-merge-patch+json is not supported',
      );
      const failing = '[{"op":"test","path":"/spec/boxes","value":9}]';
      expect(await kubectl.refused('patch', 'sh', 'a', '--type=json', '-p', failing)).toMatch(/test failed/i);
    },
  },
  {
    flow: 'a strategic patch finds its container by name',
    run: async ({ kubectl }) => {
      await kubectl.ok('create', 'deployment', 'web', '--image=one:1', '--image=two:1');
      const patch = '{"spec":{"template":{"spec":{"containers":[{"name":"two","image":"two:2"}]}}}}';
      await kubectl.ok('patch', 'deploy', 'web', '-p', patch);
      const images = 'jsonpath={.spec.template.spec.containers[*].image}';
      expect(await kubectl.ok('get', 'deploy', 'web', '-o', images)).toBe('one:1 two:2');
      const drop = '{"spec":{"template":{"spec":{"containers":[{"name":"one","$patch":"delete"}]}}}}';
      await kubectl.ok('patch', 'deploy', 'web', '-p', drop);
      expect(await kubectl.ok('get', 'deploy', 'web', '-o', images)).toBe('two:2');
    },
  },
  {
    flow: 'scale changes a custom kind and a Deployment, if the current replicas match',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a', { boxes: 1 })), 'create', '-f', '-');
      expect(await kubectl.ok('scale', 'sh', 'a', '--replicas=4')).toContain('scaled');
      expect(await kubectl.ok('get', 'sh', 'a', '-o', 'jsonpath={.spec.boxes}')).toBe('4');
      await kubectl.ok('create', 'deployment', 'web', '--image=none:1');
      expect(await kubectl.ok('scale', 'deploy', 'web', '--replicas=3', '--current-replicas=1')).toContain(
        'scaled',
      );
      expect(
        await kubectl.refused('scale', 'deploy', 'web', '--replicas=5', '--current-replicas=1'),
      ).toContain('Expected replicas to be 1, was 3');
      expect(await kubectl.ok('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
    },
  },
  {
    flow: 'label and annotate add, overwrite only with a flag, and remove',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a'), shelf('b')), 'create', '-f', '-');
      await kubectl.ok('label', 'sh', '--all', 'team=ci');
      expect(await kubectl.refused('label', 'sh', 'a', 'team=web')).toContain('--overwrite is false');
      await kubectl.ok('label', 'sh', 'a', 'team=web', '--overwrite');
      expect(await kubectl.ok('get', 'sh', '-l', 'team=ci', '-o', 'name')).toBe('shelf.flows.muster.dev/b');
      await kubectl.ok('label', 'sh', 'a', 'team-');
      await kubectl.ok('annotate', 'sh', 'a', 'note=seen twice');
      const { metadata } = Object(await kubectl.json('get', 'sh', 'a'));
      expect(metadata).toMatchObject({ annotations: { note: 'seen twice' } });
      expect(metadata).not.toHaveProperty('labels');
      expect(await kubectl.refused('label', 'sh', 'a', 'bad label=x')).toContain('bad label');
    },
  },
  {
    flow: 'edit writes the saved text, and nothing without a change',
    run: async ({ kubectl }) => {
      await kubectl.feed(
        documents(configMap('c', { data: { size: 'small' } }), shelf('a', { boxes: 1 })),
        'create',
        '-f',
        '-',
      );
      const editor = (command: string) => kubectl.under({ KUBE_EDITOR: command });
      expect(await editor('sed -i s/small/large/').ok('edit', 'cm', 'c')).toBe('configmap/c edited');
      expect(await kubectl.ok('get', 'cm', 'c', '-o', 'jsonpath={.data.size}')).toBe('large');
      expect(await editor("sed -i 's/boxes: 1/boxes: 8/'").ok('edit', 'sh', 'a')).toContain('edited');
      expect(await kubectl.ok('get', 'sh', 'a', '-o', 'jsonpath={.spec.boxes}')).toBe('8');
      const { stderr } = await editor('true').run(['edit', 'cm', 'c']);
      expect(stderr).toContain('Edit cancelled, no changes made');
    },
  },
  {
    flow: 'the status of a custom object is written on its own path and nowhere else',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a', { boxes: 1 })), 'create', '-f', '-');
      const both = '{"spec":{"boxes":9},"status":{"boxes":4}}';
      await kubectl.ok('patch', 'sh', 'a', '--subresource=status', '--type=merge', '-p', both);
      expect(await kubectl.json('get', 'sh', 'a')).toMatchObject({
        spec: { boxes: 1 },
        status: { boxes: 4 },
      });
      await kubectl.ok('patch', 'sh', 'a', '--type=merge', '-p', '{"status":{"boxes":7}}');
      expect(await kubectl.ok('get', 'sh', 'a', '-o', 'jsonpath={.status.boxes}')).toBe('4');
    },
  },
  {
    flow: 'create supports its subcommands',
    run: async ({ kubectl }) => {
      const made = [
        await kubectl.ok('create', 'configmap', 'settings', '--from-literal=size=3'),
        await kubectl.ok('create', 'secret', 'generic', 'keys', '--from-literal=a=b'),
        await kubectl.ok('create', 'serviceaccount', 'robot'),
        await kubectl.ok(
          'create',
          'role',
          'reader',
          '--verb=get,list',
          '--resource=pods,shelves.flows.muster.dev',
        ),
        await kubectl.ok('create', 'rolebinding', 'robots', '--role=reader', '--serviceaccount=a:robot'),
        await kubectl.ok('create', 'service', 'clusterip', 'web', '--tcp=80:8080'),
      ];
      expect(made.map((line) => line.replace(/ created$/, ''))).toEqual([
        'configmap/settings',
        'secret/keys',
        'serviceaccount/robot',
        'role.rbac.authorization.k8s.io/reader',
        'rolebinding.rbac.authorization.k8s.io/robots',
        'service/web',
      ]);
      expect(await kubectl.ok('get', 'secret', 'keys', '-o', 'jsonpath={.data.a}')).toBe('Yg==');
      expect(await kubectl.json('get', 'role', 'reader')).toMatchObject({
        rules: [
          { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
          { apiGroups: ['flows.muster.dev'], resources: ['shelves'], verbs: ['get', 'list'] },
        ],
      });
    },
  },
];
