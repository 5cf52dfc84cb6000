/** The chart as helm renders it, without a server. */
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { Client } from '../integration/client.ts';
import { pathOf } from '../reference/bring-up.ts';
import type { Harness } from '../reference/describe-integration.ts';

export const chartFolder = 'charts/muster';

const objectSchema = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Rendered = z.infer<typeof objectSchema>;

const deploymentSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.tuple([z.looseObject({ image: z.string(), args: z.array(z.string()) })]),
      }),
    }),
  }),
});

const roleSchema = z.object({
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

/** The grants of a role, each as `verb resource.group`. */
export function grantsIn(role: unknown): readonly string[] {
  return roleSchema
    .parse(role)
    .rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    );
}

/** Isolates helm from the configuration of the user who runs the tests. */
export function helmAlone({ bench, workplace }: Harness): Client {
  const { dir, died } = workplace;
  const homes = ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(dir, name)] as const);
  const env = { ...process.env, HOME: dir, ...Object.fromEntries(homes) };
  return new Client({ program: pathOf(bench, 'helm'), env, unless: died });
}

export async function render(helm: Client, ...more: readonly string[]): Promise<readonly Rendered[]> {
  const text = await helm.ok('template', 'ci', chartFolder, '--namespace', 'fleet', ...more);
  return parseAllDocuments(text).map((document) => objectSchema.parse(document.toJS()));
}

export function only(objects: readonly Rendered[], kind: string): Rendered {
  const [found, ...others] = objects.filter((object) => object.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`there is not one ${kind}`);
  return found;
}

export function called(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

const podsSchema = z.looseObject({
  spec: z.object({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) }),
  }),
});

export function podLabelsOf(deployment: Rendered): Readonly<Record<string, string>> {
  return podsSchema.parse(deployment).spec.template.metadata.labels;
}

const policySchema = z.looseObject({
  spec: z.looseObject({
    policyTypes: z.array(z.string()),
    egress: z
      .array(z.strictObject({ ports: z.array(z.strictObject({ protocol: z.string(), port: z.number() })) }))
      .optional(),
  }),
});

/** The ports that a NetworkPolicy lets its Pods reach, each as `TCP 443`. */
export function reachedPorts(policy: Rendered): readonly string[] | 'any' {
  const { policyTypes, egress = [] } = policySchema.parse(policy).spec;
  if (!policyTypes.includes('Egress')) return 'any';
  return egress.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));
}

export function containerOf(deployment: unknown) {
  return deploymentSchema.parse(deployment).spec.template.spec.containers[0];
}

/** The flags of the manager by their names. */
export function flagsIn(deployment: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    containerOf(deployment).args.map((arg) => {
      const at = arg.indexOf('=');
      return [arg.slice(0, at), arg.slice(at + 1)];
    }),
  );
}
