/** Starts the embedded Kubernetes API on loopback, with its own certificate authority and optional state on disk. */
import type { FaultyServer } from '../embedded/kubernetes-api/faults/faulty-server.ts';
import { serveHttps } from '../embedded/kubernetes-api/http/https-server.ts';
import { kubeconfig } from '../embedded/kubernetes-api/http/kubeconfig.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import { JournalError } from '../embedded/kubernetes-api/store/journal-error.ts';
import { SqliteJournal } from '../embedded/kubernetes-api/store/sqlite-journal.ts';
import { keepKeys } from './persist-keys.ts';
import { explainListening, type Address } from './server-options.ts';
import type { ProcessPorts } from './process-ports.ts';
import { writePrivately } from './write-secret-file.ts';

export interface EmbeddedApiOptions {
  readonly listen: Address;
  /** The folder of the state. Without a folder, the state ends with the process. */
  readonly data: string | undefined;
  readonly kubeconfig: string | undefined;
  /** A plan of faults for a drill. */
  readonly faults?: string | undefined;
}

export interface EmbeddedApi {
  readonly url: string;
  readonly server: ApiServer;
  /** Resolves when a signal stops the process; rejects when the state can no longer be written. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Closes what was started in reverse order, at the end or when a later step fails. */
export async function startEmbeddedApi(
  options: EmbeddedApiOptions,
  ports: ProcessPorts,
): Promise<EmbeddedApi> {
  const begun = new AsyncDisposableStack();
  try {
    return await start(options, ports, begun);
  } catch (error) {
    await begun.disposeAsync();
    throw explainListening(error, options.listen);
  }
}

async function start(
  options: EmbeddedApiOptions,
  ports: ProcessPorts,
  begun: AsyncDisposableStack,
): Promise<EmbeddedApi> {
  const { clock, random, terminal, stopped } = ports;
  // First: an unreadable plan must fail before files are created.
  const startDrill = options.faults === undefined ? undefined : await prepareDrill(options.faults, ports);
  const journal = options.data === undefined ? undefined : SqliteJournal.open(options.data, clock);
  begun.defer(() => journal?.close());
  const { authority, tokenSecret } = await keepKeys(options.data, { clock, random });
  const server = new ApiServer({
    clock,
    random,
    tokenSecret,
    authorityCertificate: authority.certificate,
    ...(journal !== undefined && { journal }),
  });
  begun.defer(() => server.close());
  const drill = startDrill?.(server);
  begun.defer(() => drill?.close());
  const broken = Promise.withResolvers<void>();
  const face = await serveHttps({
    server: drill ?? server,
    clock,
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    ...options.listen,
    onFailure: (error) => {
      // Only a journal that cannot be written ends the server; other failures are printed.
      if (error instanceof JournalError) broken.reject(error);
      else
        terminal.err(`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
  });
  begun.defer(() => face.close());
  server.publishAddress(face);
  const pair = await authority.client('admin', ['system:masters']);
  const config = kubeconfig({ url: face.url, user: 'admin', ca: authority.certificate, pair });
  if (options.kubeconfig !== undefined) await writePrivately(options.kubeconfig, config);
  return {
    url: face.url,
    server,
    ended: Promise.race([stopped, broken.promise]),
    close: () => begun.disposeAsync(),
  };
}

/** Imported lazily: drills are rare. */
async function prepareDrill(file: string, ports: ProcessPorts): Promise<(server: ApiServer) => FaultyServer> {
  const { readDrill } = await import('./drill.ts');
  return readDrill(file, ports);
}
