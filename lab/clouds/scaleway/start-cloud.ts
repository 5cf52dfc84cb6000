/** A simulated cloud with its HTTP server, from a seed: the fleet, and the credentials that it accepts. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { uuid } from '../../../src/platform/ids.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { Cloud } from './cloud.ts';
import { serveCloud } from './http-server.ts';
import { ScaledClock } from './scaled-clock.ts';

export interface StartCloudOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: number;
  readonly seed: number;
  readonly timeScale: number;
  readonly zones: readonly string[];
  /** All servers have this type; by default all types alternate. */
  readonly type?: string;
  readonly controlToken: Secret;
}

export interface StartedCloud {
  readonly url: string;
  /** The environment variables of a Scaleway client. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface StartCloudPorts {
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

export async function startCloud(options: StartCloudOptions, ports: StartCloudPorts): Promise<StartedCloud> {
  const { host, port, hosts, zones, controlToken } = options;
  const streams = new RandomStreams(options.seed);
  const keys = streams.stream('scaleway credentials');
  const [project, secretKey] = [uuid(keys), uuid(keys)];
  const accessKey = `SCW${uuid(keys).replaceAll('-', '').slice(0, 17).toUpperCase()}`;
  const clock = new ScaledClock(ports.clock, options.timeScale);
  const cloud = new Cloud(
    { zones, hosts, project, ...(options.type !== undefined && { type: options.type }) },
    { clock, random: (name) => streams.stream(name) },
  );
  const { onFailure } = ports;
  const face = await serveCloud({ cloud, clock, secretKey, host, port, onFailure, controlToken });
  return {
    url: face.url,
    environment: {
      SCW_API_URL: face.url,
      SCW_ACCESS_KEY: accessKey,
      SCW_SECRET_KEY: secretKey,
      SCW_DEFAULT_PROJECT_ID: project,
    },
    close: () => face.close(),
  };
}
