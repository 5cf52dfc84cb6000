/** A claim that may still land keeps a machine from turning to another host. */
import { expect, it } from 'vitest';
import { FleetError } from '../../errors/fleet-error.ts';
import { LastClaims } from './last-claims.ts';

const lost = new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' });
const refused = new FleetError('conflict', { reason: 'Conflict', message: 'changed' });

class Stand {
  at = 1_000_000;
  held = '';
  readonly claims = new LastClaims(() => this.at);

  /** What it failed with, if it did. */
  async claim(hostId: string, failure?: FleetError): Promise<unknown> {
    const write = () => (failure === undefined ? Promise.resolve() : Promise.reject(failure));
    return this.claims.claim('u', hostId, write).catch((error: unknown) => error);
  }

  mayTurnTo(hostId: string): Promise<boolean> {
    return this.claims.mayTurnTo('u', hostId, (before) => Promise.resolve(before === this.held));
  }
}

it('a machine that never claimed anything may turn to any host, and to the same one always', async () => {
  const stand = new Stand();
  expect(await stand.mayTurnTo('a')).toBe(true);
  await stand.claim('a', lost);
  expect(await stand.mayTurnTo('a')).toBe(true);
});

it('a machine that holds the one before may not turn to another', async () => {
  const stand = new Stand();
  await stand.claim('a');
  stand.held = 'a';
  expect(await stand.mayTurnTo('b')).toBe(false);
  stand.held = '';
  expect(await stand.mayTurnTo('b')).toBe(true);
});

it('while a claim may still land, it may not either, and afterwards the server is asked', async () => {
  const stand = new Stand();
  await stand.claim('a', lost);
  stand.at += 89_999;
  expect(await stand.mayTurnTo('b')).toBe(false);
  stand.at += 1;
  expect(await stand.mayTurnTo('b')).toBe(true);
  stand.held = 'a';
  expect(await stand.mayTurnTo('b')).toBe(false);
});

it('a claim that was refused, or whose machine is gone, is forgotten', async () => {
  const stand = new Stand();
  expect(await stand.claim('a', refused)).toBe(refused);
  stand.held = 'a';
  expect(await stand.mayTurnTo('b')).toBe(true);
  await stand.claim('a');
  stand.claims.forget('u');
  expect(await stand.mayTurnTo('b')).toBe(true);
});
