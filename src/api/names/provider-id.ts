/** `spec.providerID` of a machine and of its Node: `scw-applesilicon://<zone>/<server id>`, read and written. */
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

/** Of a server that some provider has named, whatever its ids look like. */
export function providerIdOf(zone: string, id: string): string {
  return `${providerIdScheme}${zone}/${id}`;
}

/** The server in what `providerIdOf` wrote, whatever ids look like there. */
export function serverIdIn(text: string): string | undefined {
  if (!text.startsWith(providerIdScheme)) return undefined;
  const [, id = '', ...rest] = text.slice(providerIdScheme.length).split('/');
  return id === '' || rest.length > 0 ? undefined : id;
}

/** Never throws. What it accepts, `formatProviderId` writes back letter for letter. */
export function parseProviderId(text: string): ParsedProviderId {
  if (!text.startsWith(providerIdScheme)) return refuse(text, `it does not start with ${providerIdScheme}`);
  const [zoneText = '', idText, ...rest] = text.slice(providerIdScheme.length).split('/');
  if (idText === undefined || rest.length > 0)
    return refuse(text, 'it is not <zone>/<server id> after the scheme');
  const zone = Zone.safeParse(zoneText);
  if (!zone.success) return refuse(text, 'its zone is not lower-case letters, digits and single dashes');
  const hostId = HostId.safeParse(idText);
  if (!hostId.success) return refuse(text, 'its server id is not a lower-case uuid');
  return { ok: true, address: { zone: zone.data, hostId: hostId.data } };
}

function refuse(text: string, why: string): ParsedProviderId {
  return { ok: false, why: `${JSON.stringify(text)} is not a provider id: ${why}` };
}
