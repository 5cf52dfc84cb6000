/** The same commands of kubectl on the embedded API and on the real one: the same exit code and the same shape of output. */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../reference/bring-up.ts';
import { describeIntegration } from '../../reference/describe-integration.ts';
import type { Outcome } from '../../reference/run-command.ts';
import { startEmbedded } from '../embedded.ts';
import { configMap, documents, shelf, shelfDefinition } from './flow.ts';

const namespace = 'side';

type Kubectl = (args: readonly string[], input?: string) => Promise<Outcome>;

interface Both {
  readonly embedded: Kubectl;
  readonly real: Kubectl;
}

/** Removes what differs between any two servers: ids, times, ages, revisions and folders. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| [+-]\d{4}( \w+)?)?/g, 'TIME')
    .replaceAll(/\b(\d+[smhd])+\b/g, 'AGE')
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, '$1')
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: N')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

/** Keeps only the invalid fields and the kind of error: the text differs between programs. */
function fieldsIn(text: string): string {
  const fields = text.matchAll(/(spec\.\S+): (Invalid value|Forbidden|Required value|Unsupported value)/g);
  return [...fields].map(([, field, how]) => `${field} ${how}`).join('\n');
}

/** Removes the descriptions, whose text differs between servers: kubectl indents them by four spaces. */
function withoutDescription(text: string): string {
  return shapeOf(text.replaceAll(/^ {4}.*\n?/gm, ''));
}

interface Step {
  readonly what: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly shape?: (text: string) => string;
  /** The expected exit code on both. */
  readonly status?: number;
}

async function outcomeOn(kubectl: Kubectl, { args, input, shape = shapeOf }: Step): Promise<object> {
  const { status, stdout, stderr } = await kubectl(['-n', namespace, ...args], input);
  return { status, stdout: shape(stdout), stderr: shape(stderr) };
}

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'low.1', namespace },
  involvedObject: { apiVersion: 'flows.muster.dev/v1', kind: 'Shelf', name: 'low', namespace },
  type: 'Warning',
  reason: 'TooFull',
  message: 'no space for another box',
  source: { component: 'carpenter' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 1,
};

function badDefinition(rule: object): string {
  const l = { type: 'array', items: { type: 'string' } };
  const properties = { s: { type: 'string' }, n: { type: 'integer' }, l };
  const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] };
  const [version] = shelfDefinition.spec.versions;
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return documents({
    apiVersion: shelfDefinition.apiVersion,
    kind: shelfDefinition.kind,
    metadata: { name: 'bads.flows.muster.dev' },
    spec: {
      group: 'flows.muster.dev',
      scope: 'Namespaced',
      names: { kind: 'Bad', plural: 'bads' },
      versions: [{ name: version?.name, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
}

const create = ['create', '-f', '-'];
const applyAs = (manager: string) => ['apply', '--server-side', '-f', '-', '--field-manager', manager];
const sized = (size: string): string => documents(configMap('tuned', { data: { size } }));

const steps: readonly Step[] = [
  { what: 'get sorts a table', args: ['get', 'sh', '--sort-by=.spec.boxes'] },
  { what: 'get sorts names', args: ['get', 'sh', '--sort-by=.metadata.name', '-o', 'name'] },
  { what: 'get by a missing path', args: ['get', 'sh', '--sort-by=.spec.nothing'] },
  { what: 'create an event', args: create, input: documents(event) },
  { what: 'get events', args: ['get', 'events'] },
  { what: 'get events sorted', args: ['get', 'events', '--sort-by=.lastTimestamp', '-o', 'wide'] },
  {
    what: 'diff of a change',
    args: ['diff', '-f', '-'],
    input: documents(shelf('low', { boxes: 9 })),
    status: 1,
  },
  { what: 'diff of nothing', args: ['diff', '-f', '-'], input: documents(shelf('low', { boxes: 3 })) },
  { what: 'server-side apply', args: applyAs('first'), input: sized('1') },
  {
    what: 'server-side apply of a field of another manager',
    args: applyAs('second'),
    input: sized('2'),
    status: 1,
  },
  { what: 'scale', args: ['scale', 'sh/low', '--replicas=5'] },
  {
    what: 'scale from a wrong count',
    args: ['scale', 'sh/low', '--replicas=1', '--current-replicas=2'],
    status: 1,
  },
  { what: 'what a scale changed', args: ['get', 'sh', 'low', '-o', 'jsonpath={.spec.boxes}'] },
  {
    what: 'explain a field of a definition',
    args: ['explain', 'crd.spec.versions.schema'],
    shape: withoutDescription,
  },
  { what: 'explain a custom field', args: ['explain', 'sh.spec.boxes'] },
  { what: 'explain a missing field', args: ['explain', 'sh.spec.nothing'], status: 1 },
  { what: 'explain a built-in field', args: ['explain', 'pod.spec.nodeName'], shape: withoutDescription },
  ...[
    { rule: 'self.s.matches("(")' },
    { rule: 'self.n in ["a"]' },
    { rule: 'self.n > 0', fieldPath: '.nosuch' },
    { rule: 'self.l.all(x, self.l.exists(y, y == x))' },
    { rule: 'self.n >' },
  ].map((rule) => ({
    what: `a definition with the rule ${JSON.stringify(rule)}`,
    args: create,
    input: badDefinition(rule),
    shape: fieldsIn,
    status: 1,
  })),
];

async function prepare(kubectl: Kubectl): Promise<void> {
  const must = async (args: readonly string[], input?: string): Promise<void> => {
    const { status, stderr } = await kubectl(args, input);
    if (status !== 0) throw new Error(`failed to prepare a server: ${stderr}`);
  };
  await must(
    create,
    documents({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, shelfDefinition),
  );
  await must(['wait', '--for=condition=Established', '--timeout=60s', 'crd', shelfDefinition.metadata.name]);
  const shelves = [shelf('low', { boxes: 3 }), shelf('high', { boxes: 1 }), shelf('broad', { boxes: 2 })];
  await must(['-n', namespace, ...create], documents(...shelves));
}

/** Two ConfigMaps that own each other; one of them is deleted in the foreground. */
async function deleteCircle(kubectl: Kubectl): Promise<object> {
  const run = (args: readonly string[], input?: string) => kubectl(['-n', namespace, ...args], input);
  await run(create, documents(configMap('x'), configMap('y')));
  for (const [owned, name] of [
    ['x', 'y'],
    ['y', 'x'],
  ] as const) {
    const { stdout: uid } = await run(['get', 'cm', name, '-o', 'jsonpath={.metadata.uid}']);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
    await run(['patch', 'cm', owned, '-p', JSON.stringify({ metadata: { ownerReferences: [owner] } })]);
  }
  const { status, stdout } = await run(['delete', 'cm', 'x', '--cascade=foreground', '--timeout=30s']);
  await run(['wait', 'cm/y', '--for=delete', '--timeout=30s']);
  const left = await run(['get', 'cm', 'x', 'y', '--ignore-not-found', '-o', 'name']);
  return { status, stdout: shapeOf(stdout), left: left.stdout };
}

await describeIntegration<Both>(
  {
    name: 'kubectl on both servers',
    by: 'kube',
    setUp: async (harness) => {
      const client = (await startEmbedded(harness)).client('kubectl');
      const kube = await startKubeFrom(harness.bench, {
        workplace: harness.workplace,
        alsoRun: ['controller-manager'],
      });
      const both: Both = {
        embedded: (args, input) => client.run(args, input),
        real: (args, input) => kube.kubectl(args, input),
      };
      await Promise.all([prepare(both.embedded), prepare(both.real)]);
      return both;
    },
  },
  (both) => {
    it.for(steps.map((step) => [step.what, step] as const))('%s', async ([, step]) => {
      const { embedded, real } = both();
      const evaluated = await outcomeOn(real, step);
      expect(evaluated).toMatchObject({ status: step.status ?? 0 });
      expect(await outcomeOn(embedded, step)).toEqual(evaluated);
    });

    it('delete --cascade=foreground of an owner cycle', async () => {
      const { embedded, real } = both();
      const [mine, evaluated] = await Promise.all([deleteCircle(embedded), deleteCircle(real)]);
      expect(evaluated).toMatchObject({ status: 0, left: '' });
      expect(mine).toEqual(evaluated);
    });
  },
);
