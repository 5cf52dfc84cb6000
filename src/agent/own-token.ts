/**
 * Renews the token of the agent at half its life. The token is a file beside the kubeconfig; clients read the file anew,
 * so that a new token needs no restart.
 */
import { serviceAccounts } from '../kube/client/builtin-resources.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { fieldsOf } from '../kube/client/fields.ts';
import { Secret } from '../platform/secret.ts';
import { sleep } from '../platform/sleep.ts';
import { retryUntilDone, type RetryPorts } from './retry-until-done.ts';

export interface TokenFile {
  read(): Promise<Secret>;
  /** All of the text, or nothing of it. */
  write(token: Secret): Promise<void>;
}

export interface OwnTokenPorts extends RetryPorts {
  readonly client: KubeClient;
  readonly file: TokenFile;
}

/** A token that somebody replaced by hand is noticed this soon. */
const lookMs = 3_600_000;

interface Claims {
  readonly namespace: string;
  readonly name: string;
  readonly issuedAtMs: number;
  readonly seconds: number;
}

/** Ends when the agent does. */
export async function keepOwnToken(ports: OwnTokenPorts): Promise<void> {
  const { clock, stopped } = ports;
  while (!stopped.aborted) {
    await retryUntilDone(ports, () => renewIfDue(ports));
    await sleep(clock, lookMs, stopped);
  }
}

async function renewIfDue({ client, clock, file }: OwnTokenPorts): Promise<void> {
  const claims = claimsOf(await file.read());
  // A token of another form, such as that of a person, is not ours to renew.
  if (claims === undefined) return;
  const { namespace, name, issuedAtMs, seconds } = claims;
  if (clock.now() < issuedAtMs + seconds * 500) return;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: seconds },
  };
  const place = { namespace, name, subresource: 'token' };
  const { token } = fieldsOf(fieldsOf(await client.review(serviceAccounts, body, place))['status']);
  if (typeof token !== 'string') throw new Error(`no token came for ServiceAccount ${name}`);
  await file.write(new Secret(token));
}

/** Undefined for anything but the token of a ServiceAccount with an end. */
function claimsOf(token: Secret): Claims | undefined {
  const payload = token.reveal().trim().split('.')[1];
  if (payload === undefined) return undefined;
  const claims = fieldsOf(parsed(Buffer.from(payload, 'base64url').toString()));
  const subject = typeof claims['sub'] === 'string' ? claims['sub'] : '';
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subject) ?? [];
  const [issuedAt, endsAt] = [Number(claims['iat']), Number(claims['exp'])];
  if (namespace === undefined || name === undefined || !(endsAt > issuedAt)) return undefined;
  return { namespace, name, issuedAtMs: issuedAt * 1000, seconds: endsAt - issuedAt };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
