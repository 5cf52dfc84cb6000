/** Every path of the HTTP face of dispatch, once: the server takes its routes from here, and so does the OpenAPI document. */
import { z } from 'zod';
import { deliveryGuid, installationChange, workflowJob } from '../webhooks/payload.ts';
import * as answers from './answers.ts';
import { kubeName, stoppedReport } from './pod-end-body.ts';

/** Who may ask, and how it is proven. */
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
  /** In bytes; a body that is longer is cut off while it comes. None is read where it is not given. */
  readonly bodyMax?: number;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

/** GitHub sends no more than this by far. */
const longest = 5 * 1024 * 1024;
/** A log tail of 64 KiB, each byte of which may be written with six. */
const stoppedMax = 512 * 1024;
/** Nothing of it is read. */
const pollMax = 4096;
const below = '/api/internal/runners';

const failures = {
  500: { means: 'A fault of dispatch; its log says which.', body: answers.internal },
  503: { means: 'The database or the cluster does not answer. Ask again.', body: answers.unavailable },
} as const;
const tooLong = { means: 'The body is too long.', body: answers.badRequest } as const;
const unreadable = { means: 'It cannot be read.', body: answers.badRequest } as const;
const noToken = { means: 'There is no token, or no good one.', body: answers.unauthorized } as const;

export const fleetName = kubeName;

export const dispatchRoutes = {
  receiveWebhook: {
    method: 'POST',
    path: '/webhooks/github',
    summary:
      'A webhook of GitHub. It is durable before it is acknowledged; a repetition changes nothing. Of events other than workflow_job and installation the body is not read.',
    proof: 'webhookSignature',
    parameters: [
      { in: 'header', name: 'X-GitHub-Event', means: 'What it is about.', schema: z.string() },
      {
        in: 'header',
        name: 'X-GitHub-Delivery',
        means: 'The id that all attempts to deliver it share.',
        schema: deliveryGuid,
      },
    ],
    body: z.union([workflowJob, installationChange]),
    bodyMax: longest,
    answers: {
      200: { means: 'It was carried out, was known already, or means nothing here.', body: answers.message },
      400: { means: 'It cannot be read.', body: z.union([answers.message, answers.badRequest]) },
      401: { means: 'No secret of ours gives this signature.', body: answers.message },
      413: tooLong,
      500: failures[500],
      503: {
        means: 'It could not be stored, or the pools are not known yet. Deliver it again.',
        body: z.union([answers.message, answers.unavailable]),
      },
    },
  },
  poll: {
    method: 'POST',
    path: `${below}/dispatch`,
    summary:
      'A runner Pod asks for a job, and is kept waiting for some seconds. Whatever its body says is not read.',
    proof: 'runnerToken',
    bodyMax: pollMax,
    answers: {
      200: { means: 'A registration for one job. It is given once.', body: answers.registration },
      204: { means: 'Nothing for now. Ask again.' },
      400: unreadable,
      401: { means: 'The token is not that of a runner Pod that lives. End.', body: answers.unauthorized },
      410: { means: 'Nothing will come for this Pod. End.', body: answers.drain },
      413: tooLong,
      ...failures,
    },
  },
  desiredReplicas: {
    method: 'GET',
    path: `${below}/desired_replicas`,
    summary: 'What the autoscaler of a pool goes by. Any ServiceAccount of the cluster may ask.',
    proof: 'serviceAccountToken',
    parameters: [{ in: 'query', name: 'fleet', means: 'The name of a RunnerPool.', schema: fleetName }],
    answers: {
      200: { means: 'What the pool has and could use.', body: answers.signalsOfPool },
      400: { means: 'No pool is named, or several.', body: answers.badRequest },
      401: noToken,
      ...failures,
    },
  },
  podStopped: {
    method: 'POST',
    path: `${below}/pods/stopped`,
    summary: 'The manager says that a runner Pod has ended, and how.',
    proof: 'serviceAccountToken',
    body: stoppedReport,
    bodyMax: stoppedMax,
    answers: {
      204: { means: 'It is written down. Said again, it changes nothing.' },
      400: unreadable,
      401: noToken,
      403: { means: 'Only the ServiceAccount of the manager may say so.', body: answers.forbidden },
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
