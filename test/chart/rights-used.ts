/** Permissions, granted by a table or used on a real API server, in one form: `verb resource.group`. */
import type { Right } from '../../src/manager/kube-rights.ts';
import type { AuditLine } from '../reference/launch/audit.ts';

/** The requested and the refused permissions. */
export interface Asked {
  readonly used: ReadonlySet<string>;
  readonly refused: readonly string[];
}

export function inAudit(lines: readonly AuditLine[]): Asked {
  const isRefused = ({ responseStatus }: AuditLine): boolean =>
    responseStatus?.code === 401 || responseStatus?.code === 403;
  return {
    used: new Set(lines.filter((line) => !isRefused(line)).map(inWordsOfRoles)),
    refused: lines.filter(isRefused).map(({ verb, requestURI }) => `${verb} ${requestURI}`),
  };
}

function inWordsOfRoles({ verb, objectRef }: AuditLine): string {
  const { resource = '', subresource, apiGroup = '' } = objectRef ?? {};
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}.${apiGroup}`;
}

export function grantsOf(rights: readonly Right[]): readonly string[] {
  return rights.flatMap(({ resource, subresource, verbs }) => {
    const part = subresource === undefined ? '' : `/${subresource}`;
    return verbs.map((verb) => `${verb} ${resource.plural}${part}.${resource.group}`);
  });
}

/** Permissions that are expected to stay unused. */
export function rareIn(rights: readonly Right[]): readonly string[] {
  return rights.flatMap(({ rare = {}, ...right }) =>
    grantsOf([right]).filter((grant) => Object.keys(rare).some((verb) => grant.startsWith(`${verb} `))),
  );
}
