/** Reads and writes `spec.providerID` of a machine and its Node: `scw-applesilicon://<zone>/<server id>`. */
import { HostId, ProviderId, providerIdScheme, Zone } from './ids.ts';

export interface HostAddress {
  readonly zone: Zone;
  readonly hostId: HostId;
}

export type ParsedProviderId =
  | { readonly ok: true; readonly address: HostAddress }
  | { readonly ok: false; readonly why: string };

export function formatProviderId({ zone, hostId }: HostAddress): ProviderId {
  return ProviderId.parse(`${providerIdScheme}${zone}/${hostId}`);
}

/** For a server of any provider, whatever the form of its id. */
export function providerIdOf(zone: string, id: string): string {
  return `${providerIdScheme}${zone}/${id}`;
}

/** The server id in the output of `providerIdOf`, whatever its form. */
export function serverIdIn(text: string): string | undefined {
  if (!text.startsWith(providerIdScheme)) return undefined;
  const [, id = '', ...rest] = text.slice(providerIdScheme.length).split('/');
  return id === '' || rest.length > 0 ? undefined : id;
}

/** Never throws. `formatProviderId` writes an accepted text back unchanged. */
export function parseProviderId(text: string): ParsedProviderId {
  if (!text.startsWith(providerIdScheme))
    return refuse(text, `the text does not start with ${providerIdScheme}`);
  const [zoneText = '', idText, ...rest] = text.slice(providerIdScheme.length).split('/');
  if (idText === undefined || rest.length > 0) return refuse(text, 'the rest is not <zone>/<server id>');
  const zone = Zone.safeParse(zoneText);
  if (!zone.success) return refuse(text, 'the zone is not lower-case letters, digits and single dashes');
  const hostId = HostId.safeParse(idText);
  if (!hostId.success) return refuse(text, 'the server id is not a lower-case uuid');
  return { ok: true, address: { zone: zone.data, hostId: hostId.data } };
}

function refuse(text: string, why: string): ParsedProviderId {
  return { ok: false, why: `${JSON.stringify(text)} is not a provider id: ${why}` };
}
