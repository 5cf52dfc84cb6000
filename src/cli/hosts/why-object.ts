/** The objects that `muster why` explains, and how each is typed. */
import { InvalidArgumentError } from 'commander';

const forms: ReadonlyMap<string, string> = new Map([
  ['host', 'host/ID or host/NAME'],
  ['machine', 'machine/NAMESPACE/NAME'],
  ['job', 'job/ID'],
  ['pod', 'pod/NAME'],
  ['pool', 'pool/NAME'],
]);

export const whyForms = [...forms.values()].join(', ');

/** Rejects a known kind with an impossible name. Whether the object exists is checked later. */
export function parseObject(typed: string): string {
  const [kind = '', ...rest] = typed.split('/');
  const form = forms.get(kind);
  if (rest.length === 0) {
    if (form === undefined && typed !== '') return typed;
    throw new InvalidArgumentError(`It must be one of ${whyForms}.`);
  }
  const partsMax = kind === 'machine' ? 2 : 1;
  if (rest.every((part) => part !== '') && rest.length <= partsMax) return typed;
  throw new InvalidArgumentError(`It must be ${form ?? `one of ${whyForms}`}.`);
}
