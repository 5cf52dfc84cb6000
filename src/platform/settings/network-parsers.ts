/** Addresses of a network, as an operator types them. */
import { isIP } from 'node:net';
import { address, type Address } from './parsers.ts';
import { WrongValue, type Parser } from './setting.ts';

export const url: Parser<string> = {
  placeholder: 'url',
  expects: 'an address such as https://10.0.0.1:6443',
  parse: (given) => {
    if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '')) throw new WrongValue('that is no such address');
    return given;
  },
};

/** Of a Service, of a Pod beside us, or of this machine: what is sent there does not leave the cluster. */
const insideForm =
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|[a-z0-9-]+|([a-z0-9-]+\.){2}svc(\.cluster\.local)?)$/;
/** A Service by its name, its namespace and whatever the cluster is called. */
const serviceForm = /^((?:[a-z0-9-]+\.){2}svc)\.(.+)$/;

/** Where a token is shown: whoever holds the wire outside of the cluster must not read it. */
export const guardedUrl: Parser<string> = {
  placeholder: 'url',
  expects:
    'https://…, or http:// and the name of a Service, such as http://muster-dispatch.muster-system.svc',
  parse: (given, { textOf }) => {
    const parsed = URL.parse(given);
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      throw new WrongValue('that is no such address');
    const { protocol, hostname } = parsed;
    if (
      protocol === 'http:' &&
      !insideForm.test(hostname) &&
      !isServiceOf(textOf?.('clusterDomain'), hostname)
    )
      throw new WrongValue(`without TLS, that address may lead out of the cluster${adviceFor(hostname)}`);
    return given;
  },
};

function isServiceOf(clusterDomain: string | undefined, hostname: string): boolean {
  return clusterDomain !== undefined && serviceForm.exec(hostname)?.[2] === clusterDomain.toLowerCase();
}

/** Whoever upgrades a cluster with a domain of its own must learn how to go on. */
function adviceFor(hostname: string): string {
  const [, service, clusterDomain] = serviceForm.exec(hostname) ?? [];
  if (service === undefined || clusterDomain === undefined) return '';
  return ` (for a Service of this cluster give http://${service}, or name its domain: --cluster-domain ${clusterDomain})`;
}

export const ip: Parser<string> = {
  placeholder: 'ip',
  expects: 'an IP address such as 10.0.0.10',
  parse: (given) => {
    if (isIP(given) === 0) throw new WrongValue('that is no IP address');
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
    throw new WrongValue('that is no network');
  },
};

/** As older versions write it: without a host it is every one, and 0 is none at all. */
export const olderListenAddress: Parser<Address | undefined> = {
  placeholder: 'address',
  expects: 'a port such as :8080, a host and a port, or 0 for none',
  parse: (given, ports) => {
    if (given === '0') return undefined;
    return address.parse(given.startsWith(':') ? `0.0.0.0${given}` : given, ports);
  },
};
