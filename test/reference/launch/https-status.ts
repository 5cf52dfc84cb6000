/** The status of one HTTPS GET to loopback, for health waits; the body is thrown away. */
import { get } from 'node:https';

export interface Trust {
  readonly ca: string;
  readonly certificate?: string;
  readonly key?: string;
}

export async function httpsStatus(url: string, trust: Trust): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { ca: trust.ca, cert: trust.certificate, key: trust.key, agent: false, timeout: 5000 };
    const request = get(url, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error(`no answer from ${url}`)));
  });
}
