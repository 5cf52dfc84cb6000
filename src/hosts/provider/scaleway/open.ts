/** Builds the Scaleway provider over HTTP. */
import type { Clock } from '../../../platform/clock.ts';
import { RateLimit, type RateLimitOptions } from '../../../platform/rate-limit.ts';
import type { Provider } from '../port.ts';
import { ScalewayProvider } from './scaleway-provider.ts';
import { SdkTransport, type SdkTransportOptions } from './sdk-transport.ts';

export interface OpenOptions extends SdkTransportOptions {
  readonly clock: Clock;
  readonly rate?: RateLimitOptions;
}

/**
 * Half of the limit that Scaleway's support once named. An adoption takes three requests, a listing one for each
 * hundred hosts.
 */
export const usualRate: RateLimitOptions = { perSecond: 50, burst: 100 };

export function openScaleway({ rate = usualRate, ...options }: OpenOptions): Provider {
  const { clock, credentials } = options;
  return new ScalewayProvider({
    transport: new SdkTransport(options),
    clock,
    limit: new RateLimit(clock, rate),
    projectId: credentials.projectId,
  });
}
