/**
 * Validates a resource against its schema, and returns every error with the text and path of the real server. CEL rules
 * are not included. Never throws and never changes its input.
 */
import { invalid, noField, type Cause } from './cause.ts';
import { Correlated } from './correlated.ts';
import { embeddedResourceCauses } from './embedded-resource-causes.ts';
import { listTypeCauses } from './list-type-causes.ts';
import { isTooDeeplyNested, TooDeeplyNested } from './nesting.ts';
import type { Json, JsonSchema } from './structural-schema.ts';
import { valueFindings } from './value-findings.ts';

export type { Cause, CauseReason } from './cause.ts';

/**
 * With `old`, the object before an update, errors in unchanged parts are tolerated. Duplicates in lists are tolerated
 * everywhere as soon as the old object had one anywhere.
 */
export function validate(schema: JsonSchema, value: Json, old?: Json): readonly Cause[] {
  if (isTooDeeplyNested(value) || isTooDeeplyNested(old))
    return [invalid(noField, '', new TooDeeplyNested().message)];
  const correlated = old === undefined ? undefined : new Correlated(schema, value, old);
  const hadDuplicates = old !== undefined && listTypeCauses(schema, old).length > 0;
  return [
    ...valueFindings({ schema, value, path: '', at: '', correlated }).causes.values(),
    ...embeddedResourceCauses(schema, value),
    ...(hadDuplicates ? [] : listTypeCauses(schema, value)),
  ];
}
