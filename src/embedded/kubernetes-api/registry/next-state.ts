/** The next state of an object after a write through one of its paths. */
import { withFields, type KubeObject } from '../kube-object.ts';
import type { Resource } from './resource.ts';

type Next = Resource['next'];

export function nextCustom(hasStatusPath: boolean): Next {
  return (old, sent, through) =>
    through === 'status'
      ? withFields(old, { status: sent['status'] })
      : withOldStatus(old, sent, hasStatusPath);
}

/** Unlike for custom kinds, the status subresource writes metadata too. */
export function nextBuiltin(hasStatusPath: boolean): Next {
  return (old, sent, through) =>
    through === 'status'
      ? withFields(sent, { spec: old['spec'] })
      : withOldStatus(old, sent, hasStatusPath || through === 'finalize');
}

function withOldStatus(old: KubeObject, sent: KubeObject, keeps: boolean): KubeObject {
  return keeps ? withFields(sent, { status: old['status'] }) : sent;
}
