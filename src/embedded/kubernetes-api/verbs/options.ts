/** Validates the options of a request first: unknown and conflicting options are rejected. */
import { managerCauses } from '../apply/manager-name.ts';
import { invalid, type Cause } from '../status-error.ts';
import type { Call } from './call.ts';

/** The kind of options in the error. */
export type OptionsKind =
  | 'CreateOptions'
  | 'UpdateOptions'
  | 'PatchOptions'
  | 'DeleteOptions'
  | 'ListOptions';

export function refuseOptions(kind: OptionsKind, causes: readonly Cause[]): void {
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);
}

export function forbidden(field: string): Cause {
  return {
    field,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${field} is forbidden with the other options`,
  };
}

export function unsupported(field: string): Cause {
  return { field, reason: 'FieldValueNotSupported', message: 'Unsupported value' };
}

type Asked = Pick<Call, 'query' | 'userAgent'>;

export function refuseWriteOptions(kind: 'CreateOptions' | 'UpdateOptions', call: Asked): void {
  refuseOptions(kind, [...managerCauses(call), ...commonCauses(call)]);
}

/** Only an apply can be forced, and an apply needs an explicit field manager. */
export function refusePatchOptions(call: Asked, isApply: boolean): void {
  const { force, fieldManager = '' } = call.query;
  const own: readonly Cause[] =
    isApply && fieldManager === ''
      ? [
          {
            field: 'fieldManager',
            reason: 'FieldValueRequired',
            message: 'Required value: is required for apply patch',
          },
        ]
      : [];
  const forced = !isApply && force !== undefined ? [forbidden('force')] : [];
  refuseOptions('PatchOptions', [...own, ...forced, ...managerCauses(call), ...commonCauses(call)]);
}

export function dryRunCauses(asked: readonly string[]): readonly Cause[] {
  return asked.every((one) => one === 'All') ? [] : [unsupported('dryRun')];
}

function commonCauses({ query }: Asked): readonly Cause[] {
  const { dryRun, fieldValidation = '' } = query;
  const known = ['', 'Strict', 'Warn', 'Ignore'].includes(fieldValidation);
  return [
    ...dryRunCauses(dryRun === undefined ? [] : [dryRun]),
    ...(known ? [] : [unsupported('fieldValidation')]),
  ];
}

export function refuseListOptions({ query }: Asked): void {
  const known = ['', 'NotOlderThan', 'Exact'].includes(query['resourceVersionMatch'] ?? '');
  refuseOptions('ListOptions', [
    ...(query['sendInitialEvents'] === undefined ? [] : [forbidden('sendInitialEvents')]),
    ...(isMatchOfNothing(query) ? [forbidden('resourceVersionMatch')] : []),
    ...(known ? [] : [unsupported('resourceVersionMatch')]),
  ]);
}

/** resourceVersionMatch needs a resourceVersion, and is not allowed with a continue token. */
function isMatchOfNothing(query: Call['query']): boolean {
  const { resourceVersion = '', resourceVersionMatch: match = '', continue: token = '' } = query;
  if (match === '') return false;
  return resourceVersion === '' || token !== '' || (match === 'Exact' && resourceVersion === '0');
}

export function refuseWatchOptions({ query }: Asked): void {
  const { resourceVersionMatch: match = '', sendInitialEvents } = query;
  const fits = sendInitialEvents === undefined ? match === '' : match === 'NotOlderThan';
  refuseOptions('ListOptions', [
    ...(fits ? [] : [forbidden('resourceVersionMatch')]),
    ...(match === '' || match === 'NotOlderThan' ? [] : [unsupported('resourceVersionMatch')]),
  ]);
}
