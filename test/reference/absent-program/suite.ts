/**
 * An integration suite for describe-integration.test.ts, which runs it on a machine without its program: not part of
 * any other run.
 */
import { expect, it } from 'vitest';
import { describeIntegration } from '../describe-integration.ts';

await describeIntegration(
  { name: 'needs helm', by: 'helm', setUp: () => Promise.resolve('ready') },
  (given) => {
    it('runs against it', () => {
      expect(given()).toBe('ready');
    });
  },
);
