/** The excerpt of GitHub's API description for our requests: the schema of each response, without prose. */
import { z } from 'zod';

export const descriptionFile = 'lab/clouds/github/contract/github-description.json';

const operations: readonly (readonly [method: string, path: string])[] = [
  ['get', '/app/hook/deliveries'],
  ['post', '/app/hook/deliveries/{delivery_id}/attempts'],
  ['get', '/app/installations/{installation_id}'],
  ['post', '/app/installations/{installation_id}/access_tokens'],
  ['get', '/installation/repositories'],
  ['get', '/orgs/{org}/actions/runners'],
  ['post', '/orgs/{org}/actions/runners/generate-jitconfig'],
  ['delete', '/orgs/{org}/actions/runners/{runner_id}'],
  ['get', '/repos/{owner}/{repo}/actions/jobs/{job_id}'],
  ['get', '/repos/{owner}/{repo}/actions/runners'],
  ['post', '/repos/{owner}/{repo}/actions/runners/generate-jitconfig'],
  ['delete', '/repos/{owner}/{repo}/actions/runners/{runner_id}'],
  ['get', '/repos/{owner}/{repo}/actions/runs'],
  ['get', '/repos/{owner}/{repo}/actions/runs/{run_id}/jobs'],
];

const responses = z.record(
  z.string(),
  z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })).optional() }),
);
const wholeDescription = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const operation = z.object({ responses });

export function excerptOf(description: unknown, version: string): string {
  const { paths } = wholeDescription.parse(description);
  const excerpt = operations.map(([method, path]) => {
    const known = operation.safeParse(paths[path]?.[method]);
    if (!known.success) throw new Error(`GitHub does not describe ${method} ${path}`);
    return [`${method.toUpperCase()} ${path}`, answersOf(known.data.responses)];
  });
  const file = { source: `@octokit/openapi ${version}`, operations: Object.fromEntries(excerpt) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** By status; null for a response without a body. */
function answersOf(known: z.infer<typeof responses>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(known).map(([status, { content }]) => {
      const json = content?.['application/json'];
      return [status, json === undefined ? null : withoutWords(json.schema)];
    }),
  );
}

/** Keywords for people or code generators, without effect on validation. */
const words = new Set([
  'description',
  'example',
  'examples',
  'title',
  'deprecated',
  'externalDocs',
  'default',
]);

/** Converts to JSON Schema in alphabetical order, and keeps all field names. */
function withoutWords(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutWords(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .filter(([name]) => isNames || !(words.has(name) || name.startsWith('x-')))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, withoutWords(inner, !isNames && name === 'properties')]);
  const { nullable, ...schema } = Object.fromEntries(kept);
  if (isNames || nullable === undefined) return Object.fromEntries(kept);
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}
