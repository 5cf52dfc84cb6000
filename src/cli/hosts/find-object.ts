/** Finds the one object that the typed text names; an unknown name gets suggestions. */
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';

/** The tables show this many letters of an id. A shorter prefix could match another host tomorrow. */
const shortIdLength = 8;
const suggestionsMax = 3;

export function shortId(id: string): string {
  return id.slice(0, shortIdLength);
}

/** Finds a host by id, by a prefix of the id, or by server name, which the provider does not keep unique. */
export function findHost(hosts: readonly FleetHost[], typed: string): FleetHost {
  const text = typed.replace(/^host\//, '');
  const exact = hosts.find(({ id }) => id === text);
  if (exact !== undefined) return exact;
  const called = hosts.filter(
    ({ id, status }) =>
      status.observed?.name === text || (text.length >= shortIdLength && id.startsWith(text)),
  );
  // Right after a rename, the inventory may still show the old server name.
  const found = called.length > 0 ? called : hosts.filter(({ spec }) => spec.claim?.name === text);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1)
    throw new Error(`"${text}" means ${found.length} hosts: ${found.map(({ id }) => id).join(', ')}`);
  const names = hosts.flatMap(({ id, spec, status }) => [
    id,
    status.observed?.name ?? '',
    spec.claim?.name ?? '',
  ]);
  throw new Error(`there is no host "${text}"${nearText(text, names)}; see: muster hosts`);
}

/** `hint` is appended to the error. */
export function findMachine(machines: readonly FleetMachine[], typed: string, hint = ''): FleetMachine {
  const text = typed.replace(/^machine\//, '');
  const found = machines.find((machine) => machineName(machine) === text);
  if (found !== undefined) return found;
  throw new Error(
    `there is no machine "${text}"${nearText(text, machines.map(machineName))}; see: muster machines${hint}`,
  );
}

export function nearText(text: string, names: readonly string[]): string {
  const near = [...new Set(names)]
    .filter((name) => name !== '')
    .map((name) => ({ name, far: name.includes(text) ? 0 : distance(text, name) }))
    .filter(({ name, far }) => far <= Math.max(2, Math.floor(Math.min(text.length, name.length) / 3)))
    .toSorted((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1))
    .slice(0, suggestionsMax);
  return near.length === 0 ? '' : `; did you mean ${near.map(({ name }) => name).join(' or ')}?`;
}

/** The edit distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [place, letter] of Array.from(one).entries()) {
    const next = [place + 1];
    for (let index = 1; index <= other.length; index += 1) {
      const swap = (row[index - 1] ?? 0) + (letter === other[index - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
