/** The embedded server over TLS, on the real clock, under the contract suite. */
import { afterAll } from 'vitest';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { HttpsTarget } from '../../../lab/contracts/kubernetes-api/https-target.ts';
import { describeContract } from '../../../lab/contracts/kubernetes-api/suite.ts';
import { createAuthority } from './http/certificates.ts';
import { serveHttps, type HttpsServer } from './http/https-server.ts';
import { ApiServer } from './server.ts';

const faces: HttpsServer[] = [];

describeContract('embedded, over TLS', async () => {
  const authority = await createAuthority({ clock, random });
  const server = new ApiServer({
    clock,
    random,
    tokenSecret: new TextEncoder().encode('known to this test alone'),
    authorityCertificate: authority.certificate,
    controllers: { scheduling: 'off' },
  });
  const face = await serveHttps({
    clock,
    server,
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => console.error(error),
  });
  server.publishAddress(face);
  faces.push(face);
  const pair = await authority.client('contract', ['system:masters']);
  return new HttpsTarget({ name: 'embedded, over TLS', url: face.url, ca: authority.certificate, ...pair });
});

afterAll(async () => {
  for (const face of faces) await face.close();
});
