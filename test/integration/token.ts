/** A kubeconfig with a token and the CA certificate, and without a client key. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedded } from './embedded.ts';

/** Returns the path of its file. */
export async function withToken(
  { kubeconfig, dir }: Pick<Embedded, 'kubeconfig' | 'dir'>,
  token: string,
): Promise<string> {
  const config: Readonly<Record<string, unknown>> = JSON.parse(await readFile(kubeconfig, 'utf8'));
  const file = join(dir, `kubeconfig-${createHash('sha256').update(token).digest('hex').slice(0, 12)}`);
  await writeFile(file, JSON.stringify({ ...config, users: [{ name: 'admin', user: { token } }] }), {
    mode: 0o600,
  });
  return file;
}
