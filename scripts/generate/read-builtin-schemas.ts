/** Reads the schemas of the built-in kinds from a server. */
import { z } from 'zod';
import type { JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { builtins } from '../../src/embedded/kubernetes-api/registry/builtins.ts';
import { builtinSchemasText, documentPath } from './builtin-schemas.ts';

const documentSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** `get` returns the body of a path of the server. */
export async function readBuiltinSchemas(get: (path: string) => Promise<string>): Promise<string> {
  const documents = new Map<string, JsonObject>();
  for (const path of new Set(builtins.map(documentPath)))
    documents.set(path, documentSchema.parse(JSON.parse(await get(path))));
  return builtinSchemasText(builtins, documents);
}
