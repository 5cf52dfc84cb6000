/**
 * Rewrites the JSON schema of zod into the keywords of Kubernetes. Zod writes the width of an integer as bounds and a
 * date-time as a long pattern; Kubernetes has formats for both. Nothing else changes.
 */

type Keywords = Readonly<Record<string, unknown>>;

const int32Bounds = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const;
const safeBounds = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;

export function kubernetesKeywords(schema: unknown): unknown {
  if (!isKeywords(schema)) return schema;
  const rewritten = rewriteChildren(schema);
  if (rewritten['type'] === 'integer') return withIntegerFormat(rewritten);
  if (rewritten['format'] === 'date-time') return without(rewritten, ['pattern']);
  if (isKeywords(rewritten['properties']) && Object.keys(rewritten['properties']).length === 0)
    return without(rewritten, ['properties']);
  return rewritten;
}

function rewriteChildren(schema: Keywords): Keywords {
  const rewritten: Record<string, unknown> = { ...schema };
  if (isKeywords(schema['properties']))
    rewritten['properties'] = mapValues(schema['properties'], kubernetesKeywords);
  if ('items' in schema) rewritten['items'] = kubernetesKeywords(schema['items']);
  return rewritten;
}

/** Bounds that only state the integer width are replaced by the format. */
function withIntegerFormat(schema: Keywords): Keywords {
  const { minimum, maximum } = schema;
  const fits32 = isWithin(minimum) && isWithin(maximum);
  const implied = (['minimum', 'maximum'] as const).filter(
    (bound) => schema[bound] === int32Bounds[bound] || schema[bound] === safeBounds[bound],
  );
  return { ...without(schema, implied), format: fits32 ? 'int32' : 'int64' };
}

function isWithin(bound: unknown): boolean {
  return typeof bound === 'number' && bound >= int32Bounds.minimum && bound <= int32Bounds.maximum;
}

function without(schema: Keywords, keys: readonly string[]): Keywords {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function mapValues(record: Keywords, rewrite: (value: unknown) => unknown): Keywords {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, rewrite(value)]));
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
