import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../../api/conditions/reasons.ts';
import { failureOf } from './failure.ts';
import type { Question, Reply } from './reply.ts';

const now = Date.UTC(2026, 0, 1);
const types = fc.constantFrom(
  'not_found',
  'unknown_resource',
  'transient_state',
  'precondition_failed',
  'locked',
  'too_many_requests',
  'denied_authentication',
  'permissions_denied',
  'invalid_arguments',
  '__proto__',
  'M2-L',
);
const body = fc.oneof(
  fc.record(
    { type: fc.oneof(types, fc.string(), fc.anything()), resource: fc.constantFrom('server', 'os', 7) },
    { requiredKeys: [] },
  ),
  fc.anything(),
  fc.string(),
);
const anyReply: fc.Arbitrary<Reply> = fc.record({
  status: fc.integer({ min: 100, max: 999 }),
  body,
  retryAfter: fc.option(fc.oneof(fc.string(), fc.integer().map(String)), { nil: undefined }),
});
const anyQuestion: fc.Arbitrary<Question> = fc.record({
  doing: fc.constant('ask'),
  isWrite: fc.boolean(),
  target: fc.constantFrom('one', 'many'),
  isDelete: fc.boolean(),
  namesImage: fc.boolean(),
});

/** Checks the property on answers of every kind. */
function always(property: (reply: Reply, question: Question) => void): void {
  fc.assert(fc.property(anyReply, anyQuestion, property), { numRuns: 3000 });
}

describe('any answer', () => {
  it('is one of the known failures, with a retry time that is soon', () => {
    always((reply, question) => {
      const { reason, retryAt = now } = failureOf(reply, question, now);
      expect(Object.hasOwn(reasons, reason)).toBe(true);
      expect(retryAt).toBeGreaterThanOrEqual(now);
      expect(retryAt).toBeLessThanOrEqual(now + 3_600_000);
    });
  });

  it('means that a server is gone only for a request about one server, and only from the API itself', () => {
    always((reply, question) => {
      const isGone = failureOf(reply, question, now).kind === 'gone';
      const maySay = question.target === 'one' && reply.status >= 400 && reply.status < 500;
      expect(isGone && !maySay).toBe(false);
    });
  });

  it('to a write that may have happened is never a plain failure', () => {
    always((reply, question) => {
      const { reason } = failureOf(reply, { ...question, isWrite: true }, now);
      expect(['ProviderUnavailable', 'UnreadableReply']).not.toContain(reason);
    });
  });

  it('is the billing floor only for a delete', () => {
    always((reply, question) => {
      const { reason } = failureOf(reply, { ...question, isDelete: false }, now);
      expect(reason).not.toBe('BillingFloor');
    });
  });
});
