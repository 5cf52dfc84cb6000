/** The Forbidden error, with the text of the real server. */
import { StatusError } from '../status-error.ts';
import { isAboutResource, type Attributes, type ResourceAttributes } from './attributes.ts';
import type { Identity } from './identity.ts';

export function forbidden(identity: Identity, asked: Attributes): StatusError {
  if (!isAboutResource(asked))
    return new StatusError(
      'Forbidden',
      `forbidden: User ${JSON.stringify(identity.user)} cannot ${asked.verb} path ${JSON.stringify(asked.path)}`,
    );
  const { group, resource, name } = asked;
  const full = group === '' ? resource : `${resource}.${group}`;
  const which = name === '' ? full : `${full} ${JSON.stringify(name)}`;
  return new StatusError(
    'Forbidden',
    `${which} is forbidden: User ${JSON.stringify(identity.user)} cannot ${deed(asked)}`,
    { subject: { group, kind: resource, ...(name !== '' && { name }) } },
  );
}

function deed({ verb, group, resource, subresource, namespace }: ResourceAttributes): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
