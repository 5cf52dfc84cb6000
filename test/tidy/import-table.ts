/**
 * Which folder may import what, as data: the same table as in ARCHITECTURE.md.
 * An entry that ends in a slash means everything below it, any other means that one file.
 * A folder may always import itself; under src/controllers that means the controller's own folder.
 */
const runtimePorts = [
  'src/runtime/clock.ts',
  'src/runtime/random.ts',
  'src/runtime/ids.ts',
  'src/runtime/secret.ts',
];

const inner = [
  'src/api/',
  'src/errors/',
  'src/fleet/',
  'src/runtime/',
  'src/provider/',
  'src/bootstrap/',
  'src/controllers/',
  'src/manager/',
  'src/dispatch/',
  'src/agent/',
  'src/guest/',
  'src/apiserver/',
];

export const importTable: ReadonlyMap<string, readonly string[]> = new Map([
  ['src/api', []],
  ['src/errors', []],
  ['src/fleet', ['src/api/', 'src/runtime/kube/kube-object.ts']],
  ['src/runtime', ['src/errors/']],
  ['src/provider', ['src/api/', 'src/errors/', ...runtimePorts, 'src/runtime/rate-limit.ts']],
  ['src/bootstrap', ['src/api/', 'src/errors/', 'src/fleet/', ...runtimePorts]],
  [
    'src/controllers',
    [
      'src/api/',
      'src/fleet/',
      'src/errors/',
      'src/runtime/',
      'src/provider/port.ts',
      'src/bootstrap/port.ts',
    ],
  ],
  [
    'src/manager',
    ['src/api/', 'src/fleet/', 'src/errors/', 'src/runtime/', 'src/provider/', 'src/controllers/'],
  ],
  ['src/dispatch', ['src/api/', 'src/fleet/', 'src/errors/', 'src/runtime/']],
  ['src/agent', ['src/api/', 'src/errors/', 'src/runtime/']],
  ['src/guest', []],
  ['src/apiserver', ['src/api/', 'src/errors/', ...runtimePorts]],
  ['src/sim', inner],
  ['src/cli', [...inner, 'src/sim/']],
  ['src/bin', [...inner, 'src/sim/', 'src/cli/']],
  ['dashboard', ['src/api/']],
]);

/** Packages that only one folder may know, by how their names begin: what is behind a port stays behind it. */
export const packageHomes: ReadonlyMap<string, string> = new Map([
  ['@scaleway/', 'src/provider/scaleway/'],
  ['@octokit/core', 'src/dispatch/github/'],
  ['@octokit/auth-', 'src/dispatch/github/'],
  ['@octokit/plugin-', 'src/dispatch/github/'],
]);

/** What a test may import beyond the entry of its folder. */
export const testsAlsoImport = ['test/', 'src/sim/', 'src/apiserver/'];

/** The folder whose subfolders must not know each other. */
export const controllersFolder = 'src/controllers';

/** The folder that runs where no TypeScript can. */
export const shellOnlyFolder = 'src/guest';

export function covers(entry: string, path: string): boolean {
  return entry.endsWith('/') ? path.startsWith(entry) : path === entry;
}
