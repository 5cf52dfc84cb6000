/** The requests of the simulated GitHub, parsed from method and path. */
import type { RunnerScope } from './records.ts';

interface Page {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

export type SiteRequest =
  | { readonly what: 'get installation'; readonly id: string }
  | { readonly what: 'create token'; readonly id: string }
  | { readonly what: 'list deliveries'; readonly cursor: string | undefined; readonly perPage: number }
  | { readonly what: 'redeliver'; readonly id: string }
  | ({ readonly what: 'list repositories' } & Page)
  | {
      readonly what: 'register runner';
      readonly scope: RunnerScope;
      readonly name: string;
      readonly labels: readonly string[];
      readonly workFolder: string;
    }
  | ({ readonly what: 'list runners'; readonly scope: RunnerScope; readonly name: string | undefined } & Page)
  | { readonly what: 'remove runner'; readonly scope: RunnerScope; readonly id: string }
  | { readonly what: 'get job'; readonly repository: string; readonly id: string }
  | ({ readonly what: 'list runs'; readonly repository: string; readonly status: string | undefined } & Page)
  | ({ readonly what: 'list jobs'; readonly repository: string; readonly runId: string } & Page);

export type SiteOperation = SiteRequest['what'];

export const siteOperations = [
  'get installation',
  'create token',
  'list deliveries',
  'redeliver',
  'list repositories',
  'register runner',
  'list runners',
  'remove runner',
  'get job',
  'list runs',
  'list jobs',
] as const satisfies readonly SiteOperation[];

export interface SiteReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error in GitHub's form. */
export function refusal(status: number, message: string): SiteReply {
  const documentation = 'https://docs.github.test/rest';
  return { status, body: { message, documentation_url: documentation, status: String(status) } };
}

export const notFound = refusal(404, 'Not Found');
