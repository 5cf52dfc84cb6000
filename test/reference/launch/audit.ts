/** The audit log of a real API server: requests and answers of given users. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The flags that make the server log the requests of these users. A watch is logged at its start, too. */
export async function auditFlags(dir: string, users: readonly string[]): Promise<readonly string[]> {
  if (users.length === 0) return [];
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', users }, { level: 'None' }],
  };
  const file = join(dir, 'audit-policy.json');
  await writeFile(file, JSON.stringify(policy));
  return [`--audit-policy-file=${file}`, `--audit-log-path=${auditLogIn(dir)}`];
}

const lineSchema = z.object({
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      resource: z.string().optional(),
      subresource: z.string().optional(),
      apiGroup: z.string().default(''),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
});
export type AuditLine = z.infer<typeof lineSchema>;

/** Text after the last line end is still being written. */
export async function auditLinesIn(dir: string): Promise<readonly AuditLine[]> {
  const text = await readFile(auditLogIn(dir), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

function auditLogIn(dir: string): string {
  return join(dir, 'audit.log');
}
