/** The routes of dispatch, for the server and for the OpenAPI document. */
import { z } from 'zod';
import { deliveryGuid, installationChange, workflowJob } from '../webhooks/payload.ts';
import * as answers from './answers.ts';
import { kubeName, stoppedReport } from './pod-end-body.ts';

/** How a caller authenticates. */
export type Proof = 'webhookSignature' | 'runnerToken' | 'serviceAccountToken';

export interface Parameter {
  readonly in: 'header' | 'query';
  readonly name: string;
  readonly means: string;
  readonly schema: z.ZodType;
}

export interface RouteAnswer {
  readonly means: string;
  /** Absent where there is no body. */
  readonly body?: z.ZodType;
  /** JSON unless given. */
  readonly contentType?: string;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly proof?: Proof;
  readonly parameters?: readonly Parameter[];
  readonly body?: z.ZodType;
  /** Limit in bytes; a longer body is cut off while it arrives. Without a limit, no body is read. */
  readonly bodyMax?: number;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

/** Far above the bodies that GitHub sends. */
const longest = 5 * 1024 * 1024;
/** A log tail of 64 KiB, each byte of which may take six bytes in JSON. */
const stoppedMax = 512 * 1024;
/** The body is ignored. */
const pollMax = 4096;
const below = '/api/internal/runners';

const failures = {
  500: { means: 'An unexpected error of dispatch; see its log.', body: answers.internal },
  503: { means: 'The database or the cluster does not answer. Try again.', body: answers.unavailable },
} as const;
const tooLong = { means: 'The body is too long.', body: answers.badRequest } as const;
const unreadable = { means: 'The request cannot be read.', body: answers.badRequest } as const;
const noToken = { means: 'The token is missing or invalid.', body: answers.unauthorized } as const;

export const fleetName = kubeName;

export const dispatchRoutes = {
  receiveWebhook: {
    method: 'POST',
    path: '/webhooks/github',
    summary:
      'A webhook of GitHub. The webhook is stored before it is acknowledged; a repetition changes nothing. Only bodies of workflow_job and installation events are read.',
    proof: 'webhookSignature',
    parameters: [
      { in: 'header', name: 'X-GitHub-Event', means: 'The event.', schema: z.string() },
      {
        in: 'header',
        name: 'X-GitHub-Delivery',
        means: 'The id that all attempts of a delivery share.',
        schema: deliveryGuid,
      },
    ],
    body: z.union([workflowJob, installationChange]),
    bodyMax: longest,
    answers: {
      200: { means: 'The webhook was applied, was known already, or has no effect.', body: answers.message },
      400: { means: 'The request cannot be read.', body: z.union([answers.message, answers.badRequest]) },
      401: { means: 'The signature matches no configured secret.', body: answers.message },
      413: tooLong,
      500: failures[500],
      503: {
        means: 'The webhook could not be stored, or the pools are not known yet. Deliver it again.',
        body: z.union([answers.message, answers.unavailable]),
      },
    },
  },
  poll: {
    method: 'POST',
    path: `${below}/dispatch`,
    summary: 'Long poll of a runner Pod for a job. The body is ignored.',
    proof: 'runnerToken',
    bodyMax: pollMax,
    answers: {
      200: { means: 'A registration for one job, handed out once.', body: answers.registration },
      204: { means: 'No job for now. Poll again.' },
      400: unreadable,
      401: {
        means: 'The token is not that of a live runner Pod. The Pod should end.',
        body: answers.unauthorized,
      },
      410: { means: 'This Pod gets no job. The Pod should end.', body: answers.drain },
      413: tooLong,
      ...failures,
    },
  },
  desiredReplicas: {
    method: 'GET',
    path: `${below}/desired_replicas`,
    summary: 'The signals for the autoscaler of a pool. Open to any ServiceAccount of the cluster.',
    proof: 'serviceAccountToken',
    parameters: [{ in: 'query', name: 'fleet', means: 'The name of a RunnerPool.', schema: fleetName }],
    answers: {
      200: { means: 'The signals of the pool.', body: answers.signalsOfPool },
      400: { means: 'The request names no pool or several.', body: answers.badRequest },
      401: noToken,
      ...failures,
    },
  },
  podStopped: {
    method: 'POST',
    path: `${below}/pods/stopped`,
    summary: 'Report of the manager that a runner Pod has ended, and how.',
    proof: 'serviceAccountToken',
    body: stoppedReport,
    bodyMax: stoppedMax,
    answers: {
      204: { means: 'The report is stored. A repetition changes nothing.' },
      400: unreadable,
      401: noToken,
      403: {
        means: 'Only the ServiceAccount of the manager may report ended Pods.',
        body: answers.forbidden,
      },
      413: tooLong,
      ...failures,
    },
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    answers: { 200: { means: 'An OpenAPI document.', body: z.looseObject({ openapi: z.string() }) } },
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof dispatchRoutes;
