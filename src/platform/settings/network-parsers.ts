/** Parsers of network addresses. */
import { isIP } from 'node:net';
import { address, type Address } from './parsers.ts';
import { WrongValue, type Parser } from './setting.ts';

export const url: Parser<string> = {
  placeholder: 'url',
  expects: 'an address such as https://10.0.0.1:6443',
  parse: (given) => {
    if (!/^https?:$/.test(URL.parse(given)?.protocol ?? ''))
      throw new WrongValue('the value is not an http:// or https:// address');
    return given;
  },
};

/** A Service, a Pod of this cluster, or this machine: requests to it do not leave the cluster. */
const insideForm =
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|[a-z0-9-]+|([a-z0-9-]+\.){2}svc(\.cluster\.local)?)$/;
/** A Service by its name, its namespace and any cluster domain. */
const serviceForm = /^((?:[a-z0-9-]+\.){2}svc)\.(.+)$/;

/** For addresses that get a token: the network outside of the cluster must not see it. */
export const guardedUrl: Parser<string> = {
  placeholder: 'url',
  expects:
    'https://…, or http:// and the name of a Service, such as http://muster-dispatch.muster-system.svc',
  parse: (given, { textOf }) => {
    const parsed = URL.parse(given);
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      throw new WrongValue('the value is not an http:// or https:// address');
    const { protocol, hostname } = parsed;
    if (
      protocol === 'http:' &&
      !insideForm.test(hostname) &&
      !isServiceOf(textOf?.('clusterDomain'), hostname)
    )
      throw new WrongValue(`without TLS, requests may leave the cluster${adviceFor(hostname)}`);
    return given;
  },
};

function isServiceOf(clusterDomain: string | undefined, hostname: string): boolean {
  return clusterDomain !== undefined && serviceForm.exec(hostname)?.[2] === clusterDomain.toLowerCase();
}

/** The error explains what to set in a cluster with its own domain. */
function adviceFor(hostname: string): string {
  const [, service, clusterDomain] = serviceForm.exec(hostname) ?? [];
  if (service === undefined || clusterDomain === undefined) return '';
  return ` (for a Service of this cluster use http://${service}, or set its domain: --cluster-domain ${clusterDomain})`;
}

export const ip: Parser<string> = {
  placeholder: 'ip',
  expects: 'an IP address such as 10.0.0.10',
  parse: (given) => {
    if (isIP(given) === 0) throw new WrongValue('the value is not an IP address');
    return given;
  },
};

const bitsOf: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export const cidr: Parser<string> = {
  placeholder: 'cidr',
  expects: 'a network such as 10.0.0.0/16',
  parse: (given) => {
    const [, network = '', bits] = /^(.+)\/(\d{1,3})$/.exec(given) ?? [];
    if (Number(bits) <= (bitsOf[isIP(network)] ?? -1)) return given;
    throw new WrongValue('the value is not a network');
  },
};

/** The form of older versions: without a host it means all addresses, and 0 means none. */
export const olderListenAddress: Parser<Address | undefined> = {
  placeholder: 'address',
  expects: 'a port such as :8080, a host and a port, or 0 for none',
  parse: (given, ports) => {
    if (given === '0') return undefined;
    return address.parse(given.startsWith(':') ? `0.0.0.0${given}` : given, ports);
  },
};
