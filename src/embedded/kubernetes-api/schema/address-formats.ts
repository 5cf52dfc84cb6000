/** The formats `ipv4`, `ipv6`, `cidr` and `mac`, with the leniency of the real server's parsers. */
import { isIPv6 } from 'node:net';

/** Accepts leading zeros, and IPv4-mapped IPv6 addresses. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && (isDottedQuad(text) || isIpv6(text));
}

export function isIpv6(text: string): boolean {
  return !text.includes('%') && isIPv6(text);
}

export function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = isDottedQuad(address) ? 32 : 128;
  return rest.length === 0 && /^\d{1,8}$/.test(length) && Number(length) <= bits && isAddress(address);
}

/** 6, 8 or 20 bytes, in groups of two or four digits. */
export function isHardwareAddress(text: string): boolean {
  return (
    /^[0-9a-f]{2}(?:(:[0-9a-f]{2}){5}|(:[0-9a-f]{2}){7}|(:[0-9a-f]{2}){19})$/i.test(text) ||
    /^[0-9a-f]{2}(?:(-[0-9a-f]{2}){5}|(-[0-9a-f]{2}){7}|(-[0-9a-f]{2}){19})$/i.test(text) ||
    /^[0-9a-f]{4}(?:(\.[0-9a-f]{4}){2}|(\.[0-9a-f]{4}){3}|(\.[0-9a-f]{4}){9})$/i.test(text)
  );
}

function isAddress(text: string): boolean {
  return isDottedQuad(text) || isIpv6(text);
}

function isDottedQuad(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^0*\d{1,3}$/.test(part) && Number(part) <= 255);
}
