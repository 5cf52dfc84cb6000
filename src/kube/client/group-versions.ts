/** Reads the list of API groups. A group that is missing from it proves that its kinds do not exist. */
import { fieldsOf } from './fields.ts';
import { TransportError } from './transport.ts';

export function servedVersions(body: unknown, group: string): readonly string[] {
  const { kind, groups } = fieldsOf(body);
  if (kind !== 'APIGroupList' || !Array.isArray(groups))
    throw new TransportError('unreadable', 'the answer is not the list of groups');
  return groups
    .map((one: unknown) => fieldsOf(one))
    .filter(({ name }) => name === group)
    .flatMap(({ versions }): readonly unknown[] => (Array.isArray(versions) ? versions : []))
    .map((one) => fieldsOf(one)['version'])
    .filter((version) => typeof version === 'string');
}
