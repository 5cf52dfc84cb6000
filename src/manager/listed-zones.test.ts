/** When a missing MacHost proves that a host does not exist. */
import { describe, expect, it } from 'vitest';
import type { MacHostObject } from '../hosts/state/objects.ts';
import { ListedZones } from './listed-zones.ts';

function withHosts(...hosts: MacHostObject[]) {
  const named = new Set<string>();
  const withHost = new Set<string>();
  const zones = new ListedZones(
    ['fr-par-1', 'fr-par-2'],
    {
      findHost: (id) => hosts.find(({ metadata }) => metadata.name === id),
      isNamed: (zone) => named.has(zone),
      hasHost: (zone) => withHost.has(zone),
    },
    8,
  );
  return { hosts, named, withHost, zones };
}

function host(
  name: string,
  status: MacHostObject['status'] = { observed: { status: 'ready' } },
): MacHostObject {
  return { metadata: { name, uid: name, resourceVersion: '1' }, status };
}

function listing(began: number, ids: readonly string[]) {
  return { began, at: began + 1, ids };
}

it('a zone is known once its first listing is recorded', () => {
  const { zones, hosts } = withHosts(host('h1'));
  expect(zones.isKnown('fr-par-1')).toBe(false);
  zones.note('fr-par-1', listing(5, ['h1', 'h2']));
  expect(zones.isKnown('fr-par-1')).toBe(false);
  hosts.push(host('h2', {}));
  expect(zones.isKnown('fr-par-1')).toBe(false);
  hosts.push(host('h2'));
  hosts.splice(1, 1);
  expect(zones.isKnown('fr-par-1')).toBe(true);
  expect(zones.isKnown('fr-par-2')).toBe(false);
});

it('a zone that is not listed is known, until a machine names it', () => {
  const { zones } = withHosts();
  expect(zones.isKnown('nl-ams-1')).toBe(true);
  expect([zones.keep('nl-ams-1'), zones.keep('nl-ams-1'), zones.keep('fr-par-1')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(zones.isKnown('nl-ams-1')).toBe(false);
  expect(zones.kept).toEqual(['fr-par-1', 'fr-par-2', 'nl-ams-1']);
});

it('a zone stays known when MacHosts are lost later', () => {
  const { zones, hosts } = withHosts(host('h1'));
  zones.note('fr-par-1', listing(5, ['h1']));
  expect(zones.isKnown('fr-par-1')).toBe(true);
  hosts.length = 0;
  expect(zones.isKnown('fr-par-1')).toBe(true);
});

it('an empty listing makes a zone known, and so does a second one, even if a MacHost is missing', () => {
  const { zones } = withHosts();
  zones.note('fr-par-1', listing(5, []));
  expect(zones.isKnown('fr-par-1')).toBe(true);
  zones.note('fr-par-2', listing(5, ['h1']));
  expect(zones.isKnown('fr-par-2')).toBe(false);
  zones.note('fr-par-2', listing(9, ['h1']));
  expect(zones.isKnown('fr-par-2')).toBe(true);
  expect([zones.countOf('fr-par-2'), zones.listedAt('fr-par-2')]).toEqual([2, 10]);
});

it('a listing right after another does not count', () => {
  const { zones } = withHosts();
  const noted = [100, 103, 103.9, 104, 107, 110].map((began) =>
    zones.note('fr-par-1', listing(began, ['h1'])),
  );
  expect(noted).toEqual([true, false, false, true, false, true]);
  expect([zones.countOf('fr-par-1'), zones.listedAt('fr-par-1')]).toEqual([3, 111]);
});

it('a listing right after the first does not make a zone known', () => {
  const { zones } = withHosts();
  for (const began of [100, 101, 103]) zones.note('fr-par-1', listing(began, ['h1']));
  expect(zones.isKnown('fr-par-1')).toBe(false);
  zones.note('fr-par-1', listing(104, ['h1']));
  expect(zones.isKnown('fr-par-1')).toBe(true);
});

it('listings count after the clock was set back', () => {
  const { zones } = withHosts();
  const noted = [1000, 100, 102, 104].map((began) => zones.note('fr-par-1', listing(began, [])));
  expect(noted).toEqual([true, true, false, true]);
});

it('a zone that is not kept counts as known', () => expect(withHosts().zones.isKnown('mars-1')).toBe(true));

it('a zone is kept while an object names it, and starts anew when named again', () => {
  const { zones, named } = withHosts();
  named.add('nl-ams-1');
  zones.keep('nl-ams-1');
  zones.note('nl-ams-1', listing(5, []));
  expect([zones.isKept('nl-ams-1'), zones.isKept('fr-par-1')]).toEqual([true, true]);
  named.clear();
  expect([zones.isKept('nl-ams-1'), zones.isKept('fr-par-1')]).toEqual([false, true]);
  expect(zones.kept).toEqual(['fr-par-1', 'fr-par-2']);
  expect([zones.keep('nl-ams-1'), zones.isKnown('nl-ams-1')]).toEqual([true, false]);
});

describe('a zone whose listing the provider refuses', () => {
  const [second, minute, hour] = [1000, 60_000, 3_600_000];
  const why = 'list servers in mars-1: 404';

  /** The waits between the refusals of one zone. */
  function waitsOf(zones: ListedZones, count: number, zone = 'mars-1'): readonly number[] {
    let now = 0;
    return Array.from({ length: count }, () => {
      const { askAgainAt = Number.NaN } = zones.refuse(zone, { why, now }) ?? {};
      const wait = askAgainAt - now;
      now = askAgainAt;
      return wait;
    });
  }

  it('is retried soon at first, and then once an hour', () => {
    const { zones } = withHosts();
    expect(waitsOf(zones, 7)).toEqual([5 * second, minute, 4 * minute, 16 * minute, hour, hour, hour]);
  });

  it('is unknown from the second refusal on, which is reported once', () => {
    const { zones } = withHosts();
    const seen = [why, why, 'list servers in mars-1: 400', why].map((said) => [
      zones.refuse('mars-1', { why: said, now: 0 })?.hasChanged,
      zones.whyUnknown('mars-1'),
    ]);
    const unknown = `the provider does not know the zone mars-1: ${why}`;
    expect(seen).toEqual([
      [false, undefined],
      [true, unknown],
      [false, unknown],
      [false, unknown],
    ]);
    expect(zones.whyUnknown('fr-par-1')).toBeUndefined();
  });

  it('is known again after one listing, and the count starts anew', () => {
    const { zones } = withHosts();
    waitsOf(zones, 3);
    zones.note('mars-1', listing(5, []));
    expect(zones.whyUnknown('mars-1')).toBeUndefined();
  });

  it('starts anew when no machine named it for a while', () => {
    const { zones, named } = withHosts();
    named.add('mars-1');
    zones.keep('mars-1');
    waitsOf(zones, 5);
    named.clear();
    expect([zones.isKept('mars-1'), zones.whyUnknown('mars-1')]).toEqual([false, undefined]);
    expect(waitsOf(zones, 1)).toEqual([5 * second]);
  });

  it('is not unknown when it was listed before', () => {
    const { zones } = withHosts();
    zones.note('fr-par-1', listing(5, []));
    expect(waitsOf(zones, 2, 'fr-par-1')).toEqual([Number.NaN, Number.NaN]);
    expect(zones.whyUnknown('fr-par-1')).toBeUndefined();
  });

  it('is not unknown when a host was seen there', () => {
    const { zones, withHost } = withHosts();
    waitsOf(zones, 2, 'fr-par-1');
    withHost.add('fr-par-1');
    expect([zones.refuse('fr-par-1', { why, now: 0 }), zones.whyUnknown('fr-par-1')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('after a MacHost was lost while its server is there', () => {
  const listed = () => {
    const made = withHosts(host('h1'));
    made.zones.note('fr-par-1', listing(5, ['h1']));
    made.zones.note('fr-par-1', listing(15, ['h1']));
    made.zones.lose('fr-par-1', 20);
    return made;
  };

  it('the zone is unknown until a later listing has all its MacHosts', () => {
    const { zones, hosts } = listed();
    hosts.splice(0, 1);
    expect(zones.isKnown('fr-par-1')).toBe(false);
    zones.note('fr-par-1', listing(25, ['h1']));
    expect(zones.isKnown('fr-par-1')).toBe(false);
    hosts.push(host('h1'));
    expect(zones.isKnown('fr-par-1')).toBe(true);
  });

  it('a listing that was under way does not count, and the next one does, whatever the clock shows', () => {
    const { zones } = listed();
    zones.note('fr-par-1', listing(18, ['h1']));
    expect(zones.isKnown('fr-par-1')).toBe(false);
    zones.note('fr-par-1', listing(2, ['h1']));
    expect(zones.isKnown('fr-par-1')).toBe(true);
  });

  it('the earlier inventories stay counted', () => {
    const { zones } = listed();
    expect(zones.countOf('fr-par-1')).toBe(2);
  });
});
