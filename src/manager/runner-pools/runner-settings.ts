/** Settings of runner pools, some with the names of older versions. */
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

/**
 * A Mac's virtual machine accepts no other domain, and a rejected one would cost every Pod: so the manager does not
 * start.
 */
const domain: Parser<string> = {
  placeholder: 'domain',
  expects: 'a DNS name such as cluster.local, without a dot at its end',
  parse: (given) => {
    if (given.endsWith('.')) throw new WrongValue('the name ends with a dot');
    if (given.length > domainLengthMax || !domainForm.test(given))
      throw new WrongValue('the value is not a DNS name');
    return given;
  },
};

export const runnerSettings = settingTable({
  dispatchUrl: optional(
    orNothing(url),
    'address where runner Pods poll for jobs; without it no RunnerPool is managed',
  ),
  dispatchInternalUrl: optional(orNothing(url), 'address where Pods on Linux poll, if it differs'),
  scalingSignalsUrl: optional(
    orNothing(guardedUrl),
    'address of the scaling signals of dispatch; without it no pool is autoscaled',
  ),
  sessionsUrl: optional(
    orNothing(guardedUrl),
    'address of dispatch for reports of ended Pods; without it none is sent',
  ),
  dispatchTokenFile: withDefault(
    file,
    '/var/run/secrets/muster-dispatch/token',
    'file with the token for dispatch, with the sole audience muster-dispatch; read for each request',
  ),
  runnersNamespace: withDefault(text, 'tuist-runners', 'namespace of RunnerPools and their Pods'),
  namespace: optional(orNothing(text), 'replaces --runners-namespace'),
  dindImage: optional(orNothing(text), 'Docker image for jobs on Linux; without it they have no Docker'),
  registryMirrorUrl: optional(orNothing(url), 'registry mirror of that Docker'),
  clusterDnsIp: optional(orNothing(ip), 'DNS server for cluster names on Macs'),
  clusterDomain: optional(orNothing(domain), 'domain of cluster names on Macs; cluster.local if not set'),
});

export interface RunnersSettings {
  readonly namespace: string;
  readonly template: TemplateSettings;
  /** Limit of Pods and accounts of a pool removed in one pass. */
  readonly deletesMax?: number;
}

/** The usual cluster domain. Without a domain a Mac would not use the given DNS server. */
const usualDomain = 'cluster.local';
const dispatchPath = '/api/internal/runners/dispatch';

/** Undefined without --dispatch-url. */
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

/** An address without a path gets the default path; an address with a path is kept. */
export function withPath(given: string, path: string): string {
  const parsed = new URL(given);
  if (parsed.pathname === '/') parsed.pathname = path;
  return parsed.href;
}
