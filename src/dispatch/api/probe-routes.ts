/** The probe endpoints of a process at `--probe-listen`, for the OpenAPI document of dispatch. */
import { z } from 'zod';
import type { Route } from './routes.ts';

const checked = z.object({
  ok: z.boolean(),
  checks: z.array(z.string()).describe('The checks that ran.'),
  failing: z.array(z.object({ name: z.string(), why: z.string() })),
});
const text = { body: z.string(), contentType: 'text/plain; charset=utf-8' } as const;
const fault = { means: 'An unexpected error of dispatch; see its log.', ...text } as const;

export const probeRoutes = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'Liveness of the process.',
    answers: {
      200: { means: 'The process is alive.', body: checked },
      500: fault,
      503: { means: 'The process should be restarted.', body: checked },
    },
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Readiness of the process.',
    answers: {
      200: { means: 'The process is ready.', body: checked },
      500: fault,
      503: {
        means:
          'The process is not ready: starting, stopping, or without a connection to the cluster or the database.',
        body: checked,
      },
    },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus.',
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
