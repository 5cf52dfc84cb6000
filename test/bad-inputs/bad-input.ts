/** The form of the files of bad inputs: a misspelled case is an error, and not a passing case. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { apiOperations } from '../../src/hosts/provider/scaleway/api-request.ts';

const fields = z.record(z.string(), z.unknown());
const operation = z.enum(apiOperations);

const object = z.strictObject({
  kind: z.enum(['machine', 'host', 'infra-cluster', 'control-plane', 'Cluster', 'template', 'Secret']),
  name: z.string(),
  namespace: z.string().optional(),
  metadata: fields.optional(),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
  data: z.unknown().optional(),
  immutable: z.boolean().optional(),
});

const rule = z.strictObject({
  /** Any request by default. */
  on: z.array(operation).optional(),
  /** The server of the request; any by default. */
  about: z.string().optional(),
  times: z.int().optional(),
  /** This answer, without an effect. */
  reply: z
    .strictObject({
      status: z.int(),
      body: z.unknown().optional(),
      contentType: z.string().optional(),
      retryAfter: z.string().optional(),
      date: z.string().optional(),
    })
    .optional(),
  lost: z.enum(['unsent', 'unknown', 'unreadable']).optional(),
  /** For a server in every response; `without` lists the removed fields. */
  server: z.string().optional(),
  fields: fields.optional(),
  without: z.array(z.string()).optional(),
  /** Appended to each page of servers. */
  more: z.array(z.unknown()).optional(),
  total: z.unknown().optional(),
});

const step = z.union([
  z.strictObject({ create: object }),
  z.strictObject({ change: z.string(), with: fields, below: z.literal('status').optional() }),
  z.strictObject({ delete: z.string() }),
  z.strictObject({ pass: z.number() }),
  /** Replaces the earlier rules. */
  z.strictObject({ cloud: z.array(rule) }),
]);

const place = z.strictObject({
  name: z.string(),
  zone: z.string().optional(),
  type: z.string().optional(),
  /** Rented just now, so that the minimum time of the rent is not over. */
  isNew: z.boolean().optional(),
});

const badInput = z.strictObject({
  says: z.string(),
  settings: z
    .strictObject({
      defaultPoolPrefix: z.string().exactOptional(),
      claimPrefix: z.string().exactOptional(),
      allowedPoolPrefixes: z.array(z.string()).exactOptional(),
      zones: z.array(z.string()).exactOptional(),
    })
    .optional(),
  servers: z.record(z.string(), z.union([z.string(), place])).optional(),
  cloud: z.array(rule).optional(),
  steps: z.array(step).optional(),
  /** How long the manager runs after the last step. */
  minutes: z.int().default(5),
  /** The expected results: objects by name, the last refused step, and writes. */
  ends: z.record(z.string(), z.union([z.literal('gone'), fields])).default({}),
  refused: z.string().default(''),
  /** Each once, in the order of the first occurrence. */
  writes: z.array(z.string()).default([]),
  /** The maximum number of writes; a few per minute by default. */
  callsMax: z.int().optional(),
});

export type BadObject = z.infer<typeof object>;
export type Step = z.infer<typeof step>;
export type Rule = z.infer<typeof rule>;
export type BadInput = z.infer<typeof badInput>;

/** In the files a server is a letter or a word, and `<a>` is its id. */
export function idOf(server: string): string {
  const digits = Buffer.from(server).toString('hex');
  return `${digits.slice(0, 8).padEnd(8, '0')}-0000-4000-8000-000000000000`;
}

export function badInputsIn(folder: string): readonly { readonly file: string; readonly input: BadInput }[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.toSorted().flatMap((name) => {
    const text = readFileSync(`${folder}/${name}`, 'utf8')
      .replaceAll(/<([a-z]|good)>/g, (_, server: string) => idOf(server))
      .replaceAll(/<(\d+) times (\S+)>/g, (_, count: string, part: string) => part.repeat(Number(count)));
    const file = name.replace('.yaml', '');
    return z
      .array(badInput)
      .parse(parse(text))
      .map((input) => ({ file, input }));
  });
}
