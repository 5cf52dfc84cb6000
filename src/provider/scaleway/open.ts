/** Scaleway over HTTP, ready for use: the only way in for whoever puts a process together. */
import type { Clock } from '../../runtime/clock.ts';
import { RateLimit, type RateLimitOptions } from '../../runtime/rate-limit.ts';
import type { Provider } from '../port.ts';
import { ScalewayProvider } from './scaleway-provider.ts';
import { SdkTransport, type SdkTransportOptions } from './sdk-transport.ts';

export interface OpenOptions extends SdkTransportOptions {
  readonly clock: Clock;
  readonly rate?: RateLimitOptions;
}

/** A thousand hosts in four zones are listed with some sixteen requests; the rest is seldom. */
const usualRate: RateLimitOptions = { perSecond: 5, burst: 20 };

export function openScaleway({ rate = usualRate, ...options }: OpenOptions): Provider {
  const { clock, credentials } = options;
  return new ScalewayProvider({
    transport: new SdkTransport(options),
    clock,
    limit: new RateLimit(clock, rate),
    projectId: credentials.projectId,
  });
}
