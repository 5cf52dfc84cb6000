/** Answers requests like GitHub's API, to the App or to one of its installations. */
import { faultOf } from './app-auth.ts';
import type { GitHubSite } from './site.ts';
import { notFound, refusal, type SiteReply, type SiteRequest } from './site-request.ts';
import { suspended, toInstallation, type TenantRequest } from './tenant-answers.ts';
import { deliveryBody, installationBodyOf, timeText } from './wire-bodies.ts';

type AppRequest = Exclude<SiteRequest, TenantRequest>;
type Request<What extends AppRequest['what']> = Extract<AppRequest, { what: What }>;

const appOperations: ReadonlySet<string> = new Set<AppRequest['what']>([
  'get installation',
  'create token',
  'list deliveries',
  'redeliver',
]);

function isForApp(request: SiteRequest): request is AppRequest {
  return appOperations.has(request.what);
}

/** The authenticated caller: the App, or the holder of this token. */
export type Caller = 'app' | { readonly token: string };

/** `authorization` is the header, if present. */
export function answer(site: GitHubSite, request: SiteRequest, authorization: string | undefined): SiteReply {
  const [, token = ''] = /^(?:bearer|token) +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (token === '') return refusal(401, 'Requires authentication');
  if (!isForApp(request)) return answerTo(site, request, { token });
  const fault = faultOf(token, site.app, site.now());
  return fault === undefined ? answerTo(site, request, 'app') : refusal(401, fault);
}

export function answerTo(site: GitHubSite, request: SiteRequest, caller: Caller): SiteReply {
  if (isForApp(request)) return caller === 'app' ? toApp(site, request) : refusal(401, 'Bad credentials');
  return caller === 'app' ? refusal(401, 'Bad credentials') : toInstallation(site, request, caller.token);
}

function toApp(site: GitHubSite, request: AppRequest): SiteReply {
  switch (request.what) {
    case 'get installation':
      return aboutInstallation(site, request);
    case 'create token':
      return newToken(site, request);
    case 'list deliveries':
      return deliveries(site, request);
    case 'redeliver':
      return site.hooks.redeliver(request.id) ? { status: 202, body: {} } : notFound;
  }
}

function aboutInstallation(site: GitHubSite, { id }: Request<'get installation'>): SiteReply {
  const installation = site.directory.installation(id);
  if (installation === undefined || installation.state === 'removed') return notFound;
  return { status: 200, body: installationBodyOf({ installation, appId: site.app.id, base: site.base }) };
}

function newToken(site: GitHubSite, { id }: Request<'create token'>): SiteReply {
  const installation = site.directory.installation(id);
  if (installation === undefined || installation.state === 'removed') return notFound;
  if (installation.state === 'suspended') return suspended;
  const { token, expiresAt } = site.directory.issueToken(installation);
  return { status: 201, body: { token, expires_at: timeText(expiresAt), repository_selection: 'all' } };
}

/** Newest first; the cursor is the last id of the previous page. */
function deliveries(site: GitHubSite, { cursor, perPage }: Request<'list deliveries'>): SiteReply {
  const newest = site.hooks.log.toReversed();
  const from = cursor === undefined ? 0 : newest.findIndex(({ id }) => id === cursor) + 1;
  const page = newest.slice(from, from + perPage);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + perPage < newest.length;
  const next = `${site.base}/app/hook/deliveries?per_page=${perPage}&cursor=${last?.id}`;
  const headers = hasMore ? { link: `<${next}>; rel="next"` } : {};
  return { status: 200, body: page.map(deliveryBody), headers };
}
