/** The schemas of the kinds that the embedded server has built in, as a server describes them now. */
import { z } from 'zod';
import type { JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { builtins } from '../../src/embedded/kubernetes-api/registry/builtins.ts';
import { builtinSchemasText, documentPath } from './builtin-schemas.ts';

const documentSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** `get` gives the body of an address of the server. */
export async function readBuiltinSchemas(get: (path: string) => Promise<string>): Promise<string> {
  const documents = new Map<string, JsonObject>();
  for (const path of new Set(builtins.map(documentPath)))
    documents.set(path, documentSchema.parse(JSON.parse(await get(path))));
  return builtinSchemasText(builtins, documents);
}
