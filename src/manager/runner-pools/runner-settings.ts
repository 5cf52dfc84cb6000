/** What can be set of runner pools, some of it under the names of older versions. */
import type { TemplateSettings } from '../../runner-pools/pod-template/pod-parts.ts';
import { guardedUrl, ip, url } from '../../platform/settings/network-parsers.ts';
import { file, orNothing, text } from '../../platform/settings/parsers.ts';
import {
  optional,
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
  type Values,
} from '../../platform/settings/setting.ts';

const domainForm = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
const domainLengthMax = 253;

/** A virtual Mac takes no other, and one that it refuses would cost every Pod: better the manager does not start. */
const domain: Parser<string> = {
  placeholder: 'domain',
  expects: 'a DNS name such as cluster.local, without a dot at its end',
  parse: (given) => {
    if (given.endsWith('.')) throw new WrongValue('it ends with a dot');
    if (given.length > domainLengthMax || !domainForm.test(given))
      throw new WrongValue('that is no DNS name');
    return given;
  },
};

export const runnerSettings = settingTable({
  dispatchUrl: optional(
    orNothing(url),
    'where runner Pods ask for jobs; without it no RunnerPool is seen to',
  ),
  dispatchInternalUrl: optional(orNothing(url), 'the same for Pods on Linux, where they reach it otherwise'),
  scalingSignalsUrl: optional(
    orNothing(guardedUrl),
    'where dispatch says how much is asked of each pool; without it no pool follows demand',
  ),
  sessionsUrl: optional(
    orNothing(guardedUrl),
    'where dispatch is told of Pods that ended; without it it is not told',
  ),
  dispatchTokenFile: withDefault(
    file,
    '/var/run/secrets/muster-dispatch/token',
    'the token that the manager shows to dispatch, for the audience muster-dispatch alone; read for each question',
  ),
  runnersNamespace: withDefault(text, 'tuist-runners', 'the namespace of RunnerPools and their Pods'),
  namespace: optional(orNothing(text), 'instead of --runners-namespace'),
  dindImage: optional(orNothing(text), 'the docker that jobs on Linux have; without it they have none'),
  registryMirrorUrl: optional(orNothing(url), 'the mirror that this docker takes images from'),
  clusterDnsIp: optional(orNothing(ip), 'the name server that runners on Macs ask for names of the cluster'),
  clusterDomain: optional(
    orNothing(domain),
    'what names of the cluster end with, for the same; cluster.local unless given',
  ),
});

export interface RunnersSettings {
  readonly namespace: string;
  readonly template: TemplateSettings;
  /** No more Pods and accounts of a pool than this are removed in one pass. */
  readonly deletesMax?: number;
}

/** What nearly every cluster is called. Without a domain a Mac would not ask that name server at all. */
const usualDomain = 'cluster.local';
const dispatchPath = '/api/internal/runners/dispatch';

/** Undefined where nobody has said where Pods ask for jobs. */
export function runnersOf(values: Values<typeof runnerSettings>): RunnersSettings | undefined {
  const { dispatchUrl, dispatchInternalUrl, dindImage, registryMirrorUrl } = values;
  const { clusterDnsIp, clusterDomain, namespace, runnersNamespace } = values;
  if (dispatchUrl === undefined) return undefined;
  return {
    namespace: namespace ?? runnersNamespace,
    template: {
      dispatchUrl: withPath(dispatchUrl, dispatchPath),
      ...(dispatchInternalUrl !== undefined && {
        dispatchInternalUrl: withPath(dispatchInternalUrl, dispatchPath),
      }),
      ...(dindImage !== undefined && { dindImage }),
      ...(registryMirrorUrl !== undefined && { registryMirrorUrl }),
      ...(clusterDnsIp !== undefined && { clusterDnsIp, clusterDomain: usualDomain }),
      ...(clusterDomain !== undefined && { clusterDomain }),
    },
  };
}

/** A server may be given alone; whoever gives a path means it. */
export function withPath(given: string, path: string): string {
  const parsed = new URL(given);
  if (parsed.pathname === '/') parsed.pathname = path;
  return parsed.href;
}
