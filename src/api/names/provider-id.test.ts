import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { HostId, Zone } from './ids.ts';
import { formatProviderId, parseProviderId } from './provider-id.ts';

const id = '3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01';

const addresses = fc.record({
  zone: fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}$/).map((text) => Zone.parse(text)),
  hostId: fc.uuid().map((text) => HostId.parse(text)),
});

describe('provider id', () => {
  it('is written the way existing Nodes carry it', () => {
    expect(formatProviderId({ zone: Zone.parse('fr-par-1'), hostId: HostId.parse(id) })).toBe(
      `scw-applesilicon://fr-par-1/${id}`,
    );
  });

  it.each([
    ['', 'the text does not start with scw-applesilicon://'],
    [id, 'the text does not start with scw-applesilicon://'],
    [`aws:///fr-par-1/${id}`, 'the text does not start with scw-applesilicon://'],
    [`SCW-applesilicon://fr-par-1/${id}`, 'the text does not start with scw-applesilicon://'],
    ['scw-applesilicon://', 'the rest is not <zone>/<server id>'],
    [`scw-applesilicon://${id}`, 'the rest is not <zone>/<server id>'],
    [`scw-applesilicon://fr-par-1/${id}/`, 'the rest is not <zone>/<server id>'],
    [`scw-applesilicon:///${id}`, 'the zone is not lower-case letters, digits and single dashes'],
    [`scw-applesilicon://fr--par/${id}`, 'the zone is not lower-case letters, digits and single dashes'],
    [`scw-applesilicon://FR-PAR-1/${id}`, 'the zone is not lower-case letters, digits and single dashes'],
    ['scw-applesilicon://fr-par-1/', 'the server id is not a lower-case uuid'],
    ['scw-applesilicon://fr-par-1/server-1', 'the server id is not a lower-case uuid'],
    [`scw-applesilicon://fr-par-1/${id.toUpperCase()}`, 'the server id is not a lower-case uuid'],
    [`scw-applesilicon://fr-par-1/${id}\n`, 'the server id is not a lower-case uuid'],
  ])('%j is rejected with the reason', (text, why) => {
    expect(parseProviderId(text)).toEqual({
      ok: false,
      why: `${JSON.stringify(text)} is not a provider id: ${why}`,
    });
  });

  it('returns the zone and server it was written from', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(parseProviderId(formatProviderId(address))).toEqual({ ok: true, address });
      }),
    );
  });

  it('never throws on garbage, and accepts only its own output', () => {
    const nearMisses = fc
      .tuple(fc.constantFrom('scw-applesilicon://', 'scw-applesilicon:/', ''), fc.string(), fc.string())
      .map(([scheme, zone, rest]) => `${scheme}${zone}/${rest}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearMisses), (text) => {
        const parsed = parseProviderId(text);
        expect(parsed.ok ? formatProviderId(parsed.address) : text).toBe(text);
      }),
    );
  });
});
