/** Validation by the schema of a CRD, rules in CEL included. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { object } from '../crds.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { install, ownDefinition, ownResource } from '../own-definition.ts';
import { untilAnswer } from '../until.ts';

/** An invalid spec, and the field that the error names. */
const faults: readonly (readonly [string, Spec, string])[] = [
  ['a value below the minimum', { size: 0 }, 'spec.size'],
  ['a value above the maximum', { size: 11 }, 'spec.size'],
  ['text for an integer', { size: '1' }, 'spec.size'],
  ['a fraction for an integer', { size: 1.5 }, 'spec.size'],
  ['a missing field that is required', {}, 'spec.size'],
  ['a value outside the enum', { size: 1, mode: 'Brisk' }, 'spec.mode'],
  ['text that does not match the pattern', { size: 1, code: 'ABC' }, 'spec.code'],
  ['text that is too long', { size: 1, code: 'abcdefghi' }, 'spec.code'],
  ['a number for text', { size: 1, finish: 5 }, 'spec.finish'],
  ['a list for an object', { size: 1, limits: [] }, 'spec.limits'],
  ['an object for a list', { size: 1, steps: {} }, 'spec.steps'],
  ['neither integer nor text for int-or-string', { size: 1, port: true }, 'spec.port'],
  ['no date for a date-time', { size: 1, when: 'soon' }, 'spec.when'],
  ['a list that is too long', { size: 1, steps: ['a', 'b', 'c', 'd'] }, 'spec.steps'],
  ['a value of the wrong type in a list', { size: 1, steps: ['a', 2] }, 'spec.steps[1]'],
  ['a value of the wrong type in a map', { size: 1, labels: { a: 2 } }, 'spec.labels.a'],
  ['a value twice in a set', { size: 1, tags: ['a', 'b', 'a'] }, 'spec.tags[2]'],
  ['a key twice in a list of type map', { size: 1, parts: [{ name: 'p' }, { name: 'p' }] }, 'spec.parts[1]'],
  ['a missing key in a list of type map', { size: 1, parts: [{ count: 2 }] }, 'spec.parts[0].name'],
  ['an embedded resource without kind', { size: 1, template: { apiVersion: 'v1' } }, 'spec.template.kind'],
];

const pass: readonly (readonly [string, Spec])[] = [
  ['an integer for int-or-string', { size: 1, port: 80 }],
  ['text for int-or-string', { size: 1, port: 'http' }],
  ['an integer for a number', { size: 1, ratio: 2 }],
  ['a whole number written as a fraction', { size: 1.0 }],
  ['one of oneOf', { size: 1, choice: { left: 'x' } }],
  ['a date-time', { size: 1, when: '2001-02-03T04:05:06Z' }],
];

export const crdValidationCases: readonly Case[] = [
  {
    rule: 'a definition with a rule that cannot compile is refused',
    run: async (context) => {
      const text = { type: 'string' };
      const properties = { a: { type: 'integer' }, s: text, l: { type: 'array', items: text } };
      const at = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]';
      const refused = async (rule: object, field: string): Promise<void> => {
        const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] };
        const definition = ownDefinition(ownResource(context), { type: 'object', properties: { spec } });
        expectFailure(await context.crds.post(definition), {
          code: 422,
          reason: 'Invalid',
          fields: [`${at}.${field}`],
        });
      };
      for (const rule of [
        '',
        'self.a >',
        'self.b > 1',
        'self.a == "x"',
        'self.a',
        'nope(self)',
        'self.l[0] == 1',
        'x == 1',
        'self.s.matches("(")',
        'self.a in ["x"]',
        'self.s in [1, 2]',
        'self.a in self.l',
      ])
        await refused({ rule }, 'rule');
      for (const fieldPath of ['.nosuch', 'a', '.a.b', '.l[0]', '.a.', ".['a']"])
        await refused({ rule: 'self.a > 1', fieldPath }, 'fieldPath');
      await refused({ rule: 'self.a > 1', messageExpression: 'self.a' }, 'messageExpression');
      await refused({ rule: 'self.a > 1', reason: 'Bad' }, 'reason');
      await refused({ rule: 'self.a > 1', optionalOldSelf: true }, 'optionalOldSelf');
      await refused({ rule: 'self.a > 1', message: 'two\nlines' }, 'message');
    },
  },
  {
    rule: 'a definition with a rule above the cost budget is refused, and accepted once lists have a maximum',
    run: async (context) => {
      const rule = 'self.l.all(x, self.l.exists(y, y == x))';
      const post = (more: object) => {
        const l = { type: 'array', items: { type: 'string', maxLength: 10 }, ...more };
        const spec = { type: 'object', properties: { l }, 'x-kubernetes-validations': [{ rule }] };
        const definition = ownDefinition(ownResource(context), { type: 'object', properties: { spec } });
        return context.crds.post(definition, { dryRun: 'All' });
      };
      const at = 'spec.validation.openAPIV3Schema';
      expectFailure(await post({}), {
        code: 422,
        reason: 'Invalid',
        fields: [at, `${at}.properties[spec].x-kubernetes-validations[0].rule`],
      });
      objectIn(await post({ maxItems: 20 }), 201);
    },
  },
  {
    rule: 'a rule may name a field, or a key of a map, as the path of its error',
    run: async (context) => {
      const properties = {
        o: { type: 'object', properties: { p: { type: 'integer' } } },
        m: { type: 'object', additionalProperties: { type: 'string' } },
      };
      for (const fieldPath of ['.o.p', '.m.x', ".m['x']"]) {
        const rules = [{ rule: 'has(self.o)', fieldPath }];
        const spec = { type: 'object', properties, 'x-kubernetes-validations': rules };
        const definition = ownDefinition(ownResource(context), { type: 'object', properties: { spec } });
        objectIn(await context.crds.post(definition, { dryRun: 'All' }), 201);
      }
    },
  },
  {
    rule: 'a transition rule is evaluated at each update, even where nothing changed',
    run: async (context) => {
      const rules = (rule: string) => ({ 'x-kubernetes-validations': [{ rule }] });
      const a = { type: 'integer', ...rules('self > oldSelf') };
      const spec = { type: 'object', properties: { a, b: { type: 'integer' } } };
      const resource = ownResource(context);
      const definition = ownDefinition(resource, { type: 'object', properties: { spec } });
      const things = await install(context, resource, definition);
      const post = () => things.post(things.draft('a', { spec: { a: 1, b: 1 } }));
      objectIn(await untilAnswer(post, (answer) => answer.status === 201), 201);
      for (const merge of [{ spec: { b: 2 } }, { metadata: { labels: { x: 'y' } } }, {}])
        expectFailure(await things.patch('a', { merge }), {
          code: 422,
          reason: 'Invalid',
          fields: ['spec.a'],
        });
      objectIn(await things.patch('a', { merge: { spec: { a: 2 } } }));
    },
  },
  ...faults.map(refusal),
  ...pass.map(acceptance),
  {
    rule: 'none and both of oneOf are 422',
    run: async ({ widgets }) => {
      for (const choice of [{}, { left: 'x', right: 'y' }]) {
        const refused = await widgets.post(widgets.draft('a', { spec: { size: 1, choice } }));
        expectFailure(refused, { code: 422, reason: 'Invalid' });
      }
    },
  },
  {
    rule: 'all errors of an object are reported together',
    run: async ({ widgets }) => {
      const spec = { size: 0, mode: 'Brisk', code: 'ABC' };
      const refused = await widgets.post(widgets.draft('a', { spec }));
      expectFailure(refused, {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.code', 'spec.mode', 'spec.size'],
      });
    },
  },
  {
    rule: 'the causes of a refusal distinguish a missing, an unsupported, a too long and a mistyped value',
    run: async ({ widgets }) => {
      const spec = {
        mode: 'Brisk',
        code: 'abcdefghi',
        finish: 5,
      };
      const refused = await widgets.post(widgets.draft('a', { spec }));
      expect(refused.body).toMatchObject({
        reason: 'Invalid',
        details: {
          name: 'a',
          group: 'contract.muster.dev',
          kind: 'Widget',
          causes: expect.arrayContaining([
            expect.objectContaining({ field: 'spec.size', reason: 'FieldValueRequired' }),
            expect.objectContaining({ field: 'spec.mode', reason: 'FieldValueNotSupported' }),
            expect.objectContaining({ field: 'spec.code', reason: 'FieldValueTooLong' }),
            expect.objectContaining({ field: 'spec.finish', reason: 'FieldValueTypeInvalid' }),
          ]),
        },
      });
    },
  },
  {
    rule: 'a rule in CEL is checked on create and update and reported with its fieldPath',
    run: async ({ widgets }) => {
      const invalid = { code: 422, reason: 'Invalid', fields: ['spec.low'] };
      const wrong = { size: 1, low: 3, high: 2 };
      expectFailure(await widgets.post(widgets.draft('a', { spec: wrong })), invalid);
      const created = objectIn(await widgets.post(widgets.draft('a', { spec: { ...wrong, high: 4 } })), 201);
      expectFailure(await widgets.put('a', { ...created, spec: wrong }), invalid);
    },
  },
  {
    rule: 'a transition rule in CEL is skipped on create and checked on update',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, fixed: 'x' } })),
        201,
      );
      const same = objectIn(await widgets.put('a', { ...created, spec: { size: 2, fixed: 'x' } }));
      const refused = await widgets.put('a', { ...same, spec: { size: 2, fixed: 'y' } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.fixed'] });
    },
  },
  {
    rule: 'a rule that matches a pattern takes no longer for a near match',
    run: async (context) => {
      const validations = [{ rule: "self.matches('^(a+)+$')", message: 'only a' }];
      const text = { type: 'string', maxLength: 100, 'x-kubernetes-validations': validations };
      const resource = ownResource(context);
      const objects = await install(context, resource, ownDefinition(resource, object({ text })));
      await untilAnswer(
        () => objects.post(objects.draft('good', { text: 'a'.repeat(50) })),
        ({ status }) => status === 201,
      );
      expectFailure(await objects.post(objects.draft('bad', { text: `${'a'.repeat(50)}!` })), {
        code: 422,
        reason: 'Invalid',
        fields: ['text'],
      });
    },
  },
];

type Spec = Readonly<Record<string, unknown>>;

function refusal([what, spec, field]: readonly [string, Spec, string]): Case {
  return {
    rule: `${what} is 422 for its field`,
    run: async ({ widgets }) => {
      const refused = await widgets.post(widgets.draft('a', { spec }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: [field] });
      expectFailure(await widgets.get('a'), { code: 404, reason: 'NotFound' });
    },
  };
}

function acceptance([what, spec]: readonly [string, Spec]): Case {
  return {
    rule: `${what} is valid`,
    run: async ({ widgets }) => {
      expect(objectIn(await widgets.post(widgets.draft('a', { spec })), 201).spec).toMatchObject(spec);
    },
  };
}
