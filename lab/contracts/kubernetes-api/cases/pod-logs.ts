/** Logs of Pods come from the kubelet of their Node. */
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import { expect } from 'vitest';
import { createAuthority } from '../../../../src/embedded/kubernetes-api/http/certificates.ts';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import type { Query, Response } from '../target.ts';

const badRequest = { code: 400, reason: 'BadRequest' } as const;

/** The expiry of the kubelet's certificate is not checked. */
const ports = { clock: { now: () => Date.UTC(2026, 0, 1) }, random: { next: () => 0.5 } };

interface Kubelet {
  readonly port: number;
  readonly asked: string[];
}

/** A kubelet that answers every request with two lines, and refuses requests about `secret`. */
async function withKubelet(run: (kubelet: Kubelet) => Promise<void>): Promise<void> {
  const authority = await createAuthority(ports);
  const { certificate, key } = await authority.serving();
  const asked: string[] = [];
  const server: Server = createServer({ cert: certificate, key }, (request, response) => {
    asked.push(request.url ?? '');
    const isSecret = request.url?.includes('/secret') === true;
    response.writeHead(isSecret ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(isSecret ? 'no such log' : 'first line\nsecond line\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await run({ port: typeof address === 'object' && address !== null ? address.port : 0, asked });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function createNode({ nodes, suffix }: Context, port: number): Promise<string> {
  const name = `kubelet-${suffix}`;
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  objectIn(await nodes.post(nodes.draft(name, { status })), 201);
  return name;
}

async function createPod(context: Context, nodeName: string | undefined, names = ['main']): Promise<void> {
  const { pods, serviceAccounts } = context;
  objectIn(await serviceAccounts.post(serviceAccounts.draft('robot')), 201);
  const spec = {
    serviceAccountName: 'robot',
    automountServiceAccountToken: false,
    containers: names.map((name) => ({ name, image: 'none' })),
    ...(nodeName !== undefined && { nodeName }),
  };
  objectIn(await pods.post(pods.draft('a', { spec })), 201);
}

function log({ target, pods }: Context, query: Query = {}): Promise<Response> {
  return target.request({ method: 'GET', path: pods.path('a', 'log'), query });
}

export const podLogsCases: readonly Case[] = [
  {
    rule: 'the log of a Pod comes from the kubelet of its Node, with the options of the request',
    needs: ['kubelets'],
    run: async (context) => {
      await withKubelet(async ({ port, asked }) => {
        await createPod(context, await createNode(context, port));
        const answer = await log(context, { tailLines: '2' });
        expect(answer).toMatchObject({ status: 200, body: 'first line\nsecond line\n' });
        expect(asked).toEqual([`/containerLogs/${context.namespace}/a/main?tailLines=2`]);
      });
    },
  },
  {
    rule: 'an error of the kubelet is passed on',
    needs: ['kubelets'],
    run: async (context) => {
      await withKubelet(async ({ port }) => {
        await createPod(context, await createNode(context, port), ['secret']);
        expect((await log(context)).status).toBe(404);
      });
    },
  },
  {
    rule: 'an unreachable kubelet is a server error',
    needs: ['kubelets'],
    run: async (context) => {
      await createPod(context, await createNode(context, 1));
      expect((await log(context)).status).toBe(500);
    },
  },
  {
    rule: 'with several containers the request must name an existing container',
    run: async (context) => {
      await createPod(context, undefined, ['one', 'two']);
      expectFailure(await log(context), badRequest);
      expectFailure(await log(context, { container: 'three' }), badRequest);
    },
  },
  {
    rule: 'an unscheduled Pod has an empty log, and a missing Pod is 404',
    run: async (context) => {
      expectFailure(await log(context), { code: 404, reason: 'NotFound' });
      await createPod(context, undefined);
      expect((await log(context)).status).toBe(204);
    },
  },
];
