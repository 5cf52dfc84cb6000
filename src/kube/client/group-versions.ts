/** Reads the list of groups that a server knows. That a group is not in it proves that its kinds are not there. */
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
