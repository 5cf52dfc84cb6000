/** A claim that may still arrive keeps a machine from claiming another host. */
import { expect, it } from 'vitest';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { InFlightClaims } from './in-flight-claims.ts';

const lost = new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' });
const refused = new FleetError('conflict', { reason: 'Conflict', message: 'changed' });

class Harness {
  at = 1_000_000;
  held = '';
  readonly claims = new InFlightClaims(() => this.at);

  /** The error of the claim, if any. */
  async claim(hostId: string, failure?: FleetError): Promise<unknown> {
    const write = () => (failure === undefined ? Promise.resolve() : Promise.reject(failure));
    return this.claims.claim('u', hostId, write).catch((error: unknown) => error);
  }

  mayClaim(hostId: string): Promise<boolean> {
    return this.claims.mayClaim('u', hostId, (before) => Promise.resolve(before === this.held));
  }
}

it('a machine without an earlier claim may claim any host, and always the same host again', async () => {
  const harness = new Harness();
  expect(await harness.mayClaim('a')).toBe(true);
  await harness.claim('a', lost);
  expect(await harness.mayClaim('a')).toBe(true);
});

it('a machine that holds the earlier host may not claim another', async () => {
  const harness = new Harness();
  await harness.claim('a');
  harness.held = 'a';
  expect(await harness.mayClaim('b')).toBe(false);
  harness.held = '';
  expect(await harness.mayClaim('b')).toBe(true);
});

it('a machine may not claim another host while a claim may still arrive; afterwards the API server decides', async () => {
  const harness = new Harness();
  await harness.claim('a', lost);
  harness.at += 89_999;
  expect(await harness.mayClaim('b')).toBe(false);
  harness.at += 1;
  expect(await harness.mayClaim('b')).toBe(true);
  harness.held = 'a';
  expect(await harness.mayClaim('b')).toBe(false);
});

it('forgets a claim that was refused or whose machine is gone', async () => {
  const harness = new Harness();
  expect(await harness.claim('a', refused)).toBe(refused);
  harness.held = 'a';
  expect(await harness.mayClaim('b')).toBe(true);
  await harness.claim('a');
  harness.claims.forget('u');
  expect(await harness.mayClaim('b')).toBe(true);
});
