/** The cost of hostile bodies is proportional to their length. */
import { beforeAll, expect, it } from 'vitest';
import { hostileBodies, hostileObjects, type HostileBody } from '../../../test/hostile/hostile-bodies.ts';
import { hostileDefinition } from '../../../test/hostile/hostile-definition.ts';
import { growth } from '../../../lab/harness/growth.ts';
import { ownIdentity as identity } from './auth/identity.ts';
import { decodeBody } from './body.ts';
import { VirtualClock } from '../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import type { Json } from './json.ts';
import { ApiServer } from './server.ts';
import { StatusError } from './status-error.ts';

const clock = new VirtualClock(0);
const server = new ApiServer({ clock, random: { next: () => 0.5 }, tokenSecret: new Uint8Array(32) });

function post(path: string, body: Json): void {
  server.handle({ identity, method: 'POST', path, query: {}, body });
  clock.runDue();
}

beforeAll(() => {
  post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', hostileDefinition);
  for (const { path, text } of hostileObjects) post(path, JSON.parse(text));
});

/** Handles a body like the HTTP server; an error is an answer, too. */
function answer({ method, path, contentType }: HostileBody, bytes: Uint8Array): number {
  const url = new URL(path, 'https://localhost');
  const query = Object.fromEntries(url.searchParams);
  try {
    const { value, duplicates } = decodeBody(method === 'GET' ? new Uint8Array() : bytes, contentType);
    const reply = server.handle({
      identity,
      method,
      path: url.pathname,
      query,
      contentType,
      body: value,
      duplicates,
    });
    return 'status' in reply ? reply.status : 0;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

it.for(hostileBodies.map((body) => [body.name, body] as const))('%s', ([, body]) => {
  const ratio = growth([10_000, 80_000], (size) => {
    const bytes = new TextEncoder().encode(body.text(size));
    return () => expect(answer(body, bytes)).toBeLessThan(500);
  });
  expect(ratio).toBeLessThan(32);
});
