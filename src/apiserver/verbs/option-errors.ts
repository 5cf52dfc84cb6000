/** Options of a request that exclude each other or do not exist. */
import { invalid, type StatusError } from '../status-error.ts';

const subject = { group: 'meta.k8s.io', kind: 'Options', name: '' };

export function forbiddenOption(field: string): StatusError {
  return invalid(subject, [
    {
      field,
      reason: 'FieldValueForbidden',
      message: `Forbidden: ${field} is forbidden with the other options`,
    },
  ]);
}

export function unsupportedOption(field: string): StatusError {
  return invalid(subject, [{ field, reason: 'FieldValueNotSupported', message: 'Unsupported value' }]);
}
