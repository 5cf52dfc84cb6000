/**
 * Every known difference between the embedded server and the real one, with the reason to keep the difference. The
 * comparing suite proves that each example still differs; an obsolete row must be removed.
 */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { JsonSchema } from '../../../../src/embedded/kubernetes-api/schema/structural-schema.ts';

export interface KnownDifference {
  readonly what: string;
  readonly why: string;
  /** A schema of `spec` and a value of it that the two sides treat differently. */
  readonly example?: { readonly schema: JsonSchema; readonly spec: Json };
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    what: 'The metadata of an embedded resource is neither validated nor freed of unknown fields.',
    why: 'It needs the types of ObjectMeta, and no kind of ours embeds a resource.',
    example: {
      schema: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      spec: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', colour: 'red' } },
    },
  },
  {
    what: 'An embedded resource whose apiVersion or kind is no text is refused with 422 and a cause, there with 400.',
    why: 'Decoding and validation are one step here.',
    example: {
      schema: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      spec: { apiVersion: 'v1', kind: 5 },
    },
  },
  {
    what: 'In an int-or-string with an enum of texts, a number does not stand for the character of that code.',
    why: 'That 65 matches "A" there is an accident of its language.',
    example: { schema: { 'x-kubernetes-int-or-string': true, enum: ['A'] }, spec: 65 },
  },
  {
    what: 'Of the format email, comments and folded lines are not understood.',
    why: 'The grammar of RFC 5322 is large, and such an address in a resource is a mistake.',
    example: { schema: { type: 'string', format: 'email' }, spec: 'a@b (comment)' },
  },
  {
    what: 'A text is refused when its length times the length of the compiled pattern exceeds 5 million.',
    why: 'One request must not hold up the process for seconds.',
    example: { schema: { type: 'string', pattern: '^(a{0,500})*$' }, spec: 'a'.repeat(50_000) },
  },
  {
    what: 'A pattern is refused when it nests deeper than 250 groups or compiles to more than 20,000 instructions.',
    why: 'Patterns are parsed recursively; the limits there are 1,000 and in the millions.',
  },
  {
    what: 'Values and schemas nested deeper than 1,000 levels are refused; the limit there is 10,000.',
    why: 'Values are checked recursively.',
  },
  {
    what: 'A keyword of a schema that holds the wrong kind of value gives a cause, and so does null; there the first is 400 without causes and the second is as if absent.',
    why: 'Values are not decoded into types before this check.',
  },
  {
    what: 'Rules under x-kubernetes-validations are neither compiled nor evaluated.',
    why: 'Another part evaluates them.',
  },
  {
    what: 'Integers beyond 2^53 lose digits, and 1.0 is the same as 1.',
    why: 'That is how JavaScript reads JSON.',
  },
];
