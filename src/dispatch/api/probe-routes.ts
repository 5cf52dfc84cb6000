/** What a process says of itself at `--probe-listen`, for the OpenAPI document of dispatch. */
import { z } from 'zod';
import type { Route } from './routes.ts';

const checked = z.object({
  ok: z.boolean(),
  checks: z.array(z.string()).describe('What was looked at.'),
  failing: z.array(z.object({ name: z.string(), why: z.string() })),
});
const text = { body: z.string(), contentType: 'text/plain; charset=utf-8' } as const;
const fault = { means: 'A fault of dispatch; its log says which.', ...text } as const;

export const probeRoutes = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process should be left alone.',
    answers: {
      200: { means: 'It lives.', body: checked },
      500: fault,
      503: { means: 'It should be started again.', body: checked },
    },
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the process does its work.',
    answers: {
      200: { means: 'It does.', body: checked },
      500: fault,
      503: {
        means: 'It does not: it starts, stops, or has lost sight of the cluster or of its database.',
        body: checked,
      },
    },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'What is measured, as Prometheus reads it.',
    answers: {
      200: {
        means: 'All metrics.',
        body: z.string(),
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
      },
      500: fault,
    },
  },
} as const satisfies Readonly<Record<string, Route>>;
