/** Addresses in rules of pf: which are well formed, and which contain another. */
import { BlockList, isIP } from 'node:net';

/** A plain address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d+$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

export function familyOf(network: string): 'ipv4' | 'ipv6' {
  return network.includes(':') ? 'ipv6' : 'ipv4';
}

export function contains(network: string, address: string): boolean {
  const [base = '', length] = network.split('/');
  const family = familyOf(base);
  if (familyOf(address) !== family) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(length ?? (family === 'ipv4' ? 32 : 128)), family);
  return list.check(address, family);
}
