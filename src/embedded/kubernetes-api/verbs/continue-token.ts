/** The token of a paged list: the revision of the first page, and the start of the next page. Opaque to clients. */
import { z } from 'zod';
import { badRequest } from '../status-error.ts';

const tokenSchema = z.strictObject({ revision: z.int().positive(), after: z.string() });
export type ContinueToken = z.infer<typeof tokenSchema>;

export function writeToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export function readToken(text: string): ContinueToken {
  const parsed = tokenSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) throw badRequest('continue key is not valid');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
