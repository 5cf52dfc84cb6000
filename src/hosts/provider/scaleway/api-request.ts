/** The requests to the Scaleway API. A transport sends them, and the simulated cloud answers the same ones. */

interface InZone {
  readonly zone: string;
}

interface OfServer extends InZone {
  readonly id: string;
}

interface InPages {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

export type ApiRequest =
  | ({ readonly what: 'list servers' } & InZone & InPages)
  | ({ readonly what: 'get server' } & OfServer)
  | ({
      readonly what: 'update server';
      readonly name?: string;
      readonly scheduleDeletion?: boolean;
    } & OfServer)
  | ({ readonly what: 'reinstall server'; readonly osId?: string } & OfServer)
  | ({ readonly what: 'reboot server' } & OfServer)
  | ({ readonly what: 'delete server' } & OfServer)
  | ({ readonly what: 'list os'; readonly serverType?: string } & InZone & InPages)
  | ({ readonly what: 'list keys'; readonly projectId?: string } & InPages)
  | {
      readonly what: 'create key';
      readonly projectId?: string;
      readonly name: string;
      readonly publicKey: string;
    }
  | { readonly what: 'delete key'; readonly id: string };

export type ApiOperation = ApiRequest['what'];

export const apiOperations = [
  'list servers',
  'get server',
  'update server',
  'reinstall server',
  'reboot server',
  'delete server',
  'list os',
  'list keys',
  'create key',
  'delete key',
] as const satisfies readonly ApiOperation[];

export function isWrite({ what }: ApiRequest): boolean {
  return !what.startsWith('list') && !what.startsWith('get');
}
