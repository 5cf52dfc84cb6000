/**
 * Opens SSH connections with the library ssh2: by key only, without agent, forwarding or terminal. The key of the host is
 * compared before the private key is used.
 */
import type { Socket } from 'node:net';
import ssh2, { type ConnectConfig } from 'ssh2';
import type { Clock } from '../../../platform/clock.ts';
import type { Secret } from '../../../platform/secret.ts';
import { algorithms, hostKeyTypes, type HostKeyType } from './algorithms.ts';
import { canceled, isSshError, SshError, type SshFailure } from './errors.ts';
import { HostKeyCheck, otherTypes } from './host-key.ts';
import { keepAlive } from './keepalive.ts';
import { Link } from './link.ts';
import type { Dialler, SshConnection, SshTarget } from './port.ts';
import { safeText } from './safe-text.ts';
import { Ssh2Connection } from './ssh2-connection.ts';

const portOfSsh = 22;

export interface Ssh2DiallerOptions {
  readonly clock: Clock;
  /** Starts to connect, and returns at once. */
  readonly openSocket: (address: string, port: number) => Socket;
  /** For the opening of each channel. */
  readonly channelMs?: number;
  /** Three silent intervals in a row end a connection. */
  readonly keepaliveMs?: number;
}

export function ssh2Dialler(options: Ssh2DiallerOptions): Dialler {
  return { dial: (target) => dial(target, options) };
}

/**
 * A host has several keys, and the pinned one may be of a type that this client does not prefer, such as a pin of an older
 * tool. So a wrong key is refused, and the host is asked again for a key of another type.
 */
async function dial(target: SshTarget, options: Ssh2DiallerOptions): Promise<SshConnection> {
  const endsAt = options.clock.now() + target.deadlineMs;
  let refused: SshError | undefined;
  let types: readonly HostKeyType[] = hostKeyTypes;
  for (;;) {
    const check = new HostKeyCheck(target.expected);
    try {
      return await handshake(target, { options, check, types, limitMs: endsAt - options.clock.now() });
    } catch (error) {
      if (refused !== undefined && hasNoOtherKey(error)) throw refused;
      if (!isSshError(error, 'host-key-changed') || check.type === undefined) throw error;
      refused ??= error;
      types = otherTypes(types, check.type);
      if (types.length === 0) throw refused;
    }
  }
}

function hasNoOtherKey(error: unknown): boolean {
  return isSshError(error, 'unreachable') && error.failure.why.includes('no matching host key format');
}

interface Attempt {
  readonly options: Ssh2DiallerOptions;
  readonly check: HostKeyCheck;
  readonly types: readonly HostKeyType[];
  readonly limitMs: number;
}

async function handshake(target: SshTarget, attempt: Attempt): Promise<SshConnection> {
  const { clock, openSocket, channelMs = 10_000, keepaliveMs = 15_000 } = attempt.options;
  const { address, port = portOfSsh, user, signal, privateKey } = target;
  const host = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  if (!isUsable(privateKey)) throw new SshError(host, { kind: 'key-unusable' });
  if (signal?.aborted === true) throw new SshError(host, canceled, signal.reason);
  const link = new Link({ clock, socket: openSocket(address, port), host, signal });
  const { ready, step } = watch(link, user);
  link.client.connect(configuration(target, attempt, link));
  await link.within(attempt.limitMs, step, ready);
  keepAlive(link, keepaliveMs);
  // The library calls a connection ready only after the host proved its key.
  const hostKey = attempt.check.seen;
  if (hostKey === undefined) throw new Error('the library did not ask about the host key');
  return new Ssh2Connection(link, { hostKey, channelMs });
}

function isUsable(privateKey: Secret): boolean {
  return [ssh2.utils.parseKey(privateKey.reveal())]
    .flat()
    .every((key) => !(key instanceof Error) && key.isPrivateKey());
}

interface Watched {
  readonly ready: Promise<void>;
  /** What the connection waits for. */
  readonly step: () => string;
}

/** Turns events of the library into the end of the link. The listeners stay: an error without one ends the process. */
function watch(link: Link, user: string): Watched {
  const { client, socket } = link;
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let [step, isReady] = ['the connection', false];
  socket.once('connect', () => (step = 'the SSH handshake'));
  client.once('handshake', () => (step = 'the SSH authentication'));
  client.once('ready', () => {
    [step, isReady] = ['its use', true];
    resolve();
  });
  client.on('error', (error) => {
    const isRefusal = error.level === 'client-authentication';
    const why = safeText(error.message);
    link.fail(isRefusal ? { kind: 'key-refused', user } : brokenOff(why, isReady));
  });
  client.on('close', () => link.fail(brokenOff(`the host closed it during ${step}`, isReady)));
  return { ready, step: () => step };
}

function brokenOff(why: string, isReady: boolean): SshFailure {
  return isReady ? { kind: 'connection-lost', why, isCanceled: false } : { kind: 'unreachable', why };
}

function configuration(
  { user, privateKey }: SshTarget,
  { check, types }: Attempt,
  link: Link,
): ConnectConfig {
  return {
    sock: link.socket,
    username: user,
    privateKey: privateKey.reveal(),
    // Without this list the library first asks to be let in without any proof.
    authHandler: ['publickey'],
    agentForward: false,
    tryKeyboard: false,
    algorithms: algorithms(types),
    // Its timers would not run on the clock.
    readyTimeout: 0,
    keepaliveInterval: 0,
    hostVerifier: (key: Buffer) => {
      const expected = check.refusal(key);
      const seen = check.seen ?? '';
      if (expected !== undefined) link.fail({ kind: 'host-key-changed', expected, seen });
      return expected === undefined;
    },
  };
}
