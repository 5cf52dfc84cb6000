/** What a command needs from the process around it. Only src/bin builds the real ports. */
import type { Command } from 'commander';
import type { KeyMaker } from '../hosts/ssh-key/ports.ts';
import type { RunCommand } from '../hosts/provider/static/wipe-command.ts';
import type { Clock } from '../platform/clock.ts';
import type { Connection, ConnectionPorts } from '../kube/client/connection.ts';
import type { KubeTransport } from '../kube/client/transport.ts';
import type { Random } from '../platform/random.ts';
import type { Secret } from '../platform/secret.ts';
import type { Outside } from '../platform/process/run-process.ts';
import type { Terminal } from './terminal.ts';

export interface ProcessPorts {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  /** Creates an unguessable token. Without this port, tokens come from `random`. */
  readonly newToken?: () => Secret;
  /** Resolves when a signal asks the process to end. */
  readonly stopped: Promise<void>;
  /** Resolves when all pending promise reactions have run. Without this port, one tick of the clock is enough. */
  readonly drain?: () => Promise<void>;
  /** Subscribes to unhandled rejections; the result unsubscribes. */
  readonly unhandled?: (take: (error: unknown) => void) => () => void;
  /** Signals and exit, for commands that own the process. */
  readonly life?: Outside;
  /** The commands of the lab, such as `up` and `sim`. The product works without them. */
  readonly labCommands?: (ports: ProcessPorts) => readonly Command[];
  /** Without this port, no SSH keys are made. */
  readonly makeSshKey?: KeyMaker;
  /** Without this port, no command can reach a cluster. */
  readonly outside?: ClusterPorts;
  /** Without this port, no jobs run on this machine. */
  readonly jobs?: JobPorts;
}

/** What a command needs in addition to run jobs on this machine. */
export interface JobPorts {
  /** Undefined where there is no PostgreSQL for this machine. */
  readonly startDatabase: () => Promise<LocalDatabase | undefined>;
  /** Creates a private key for a GitHub App, in the format that GitHub issues. */
  readonly makeAppKey: () => Promise<Secret>;
}

/** A private PostgreSQL server: empty at the start, and ended with this process. */
export interface LocalDatabase {
  readonly url: string;
  /** Resolves when the server has ended and its files are removed. */
  close(): Promise<void>;
}

/** What a command needs to reach a cluster, and to ask the person at the terminal. */
export interface ClusterPorts extends Omit<ConnectionPorts, 'now'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks a question on the terminal; undefined when the input ends. Absent without a terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Without this port, owned hosts cannot be wiped. */
  readonly runCommand?: RunCommand;
  /** Default: HTTP. */
  readonly transport?: (connection: Connection) => KubeTransport;
}
