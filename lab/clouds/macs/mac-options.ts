/** What can be chosen about a simulated Mac. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';

export interface MacOptions {
  /** `m1` when left out. */
  readonly user?: string;
  /** In OpenSSH format. */
  readonly authorizedKeys: readonly string[];
  /** Of the user, for sudo. Drawn when left out. */
  readonly password?: string;
  /** Drawn when left out. */
  readonly serial?: string;
  readonly osVersion?: string;
  readonly osBuild?: string;
  /** The login shell: `/bin/sh` when left out. The users of real Macs have zsh. */
  readonly shell?: string;
  /** What the Mac itself believes its address and that of its client to be: in SSH_CONNECTION and on `en0`. */
  readonly address?: string;
  readonly clientAddress?: string;
  /** Whether somebody is logged in at the screen. True when left out. */
  readonly hasConsole?: boolean;
  /** After as many wrong passwords, sudo refuses the right one too, until the next boot. */
  readonly sudoFailuresMax?: number;
  /** More registrations of one job since the boot than this, and launchd no longer starts the job by itself. */
  readonly registrationsMax?: number;
}

export interface MacPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** What a reinstall may change. The password and the host key are new in any case. */
export type Installation = Partial<Pick<MacOptions, 'password' | 'osVersion' | 'osBuild' | 'authorizedKeys'>>;

/** All that is not drawn. */
export type Settings = MacOptions & Required<Omit<MacOptions, 'password' | 'serial'>>;

export const defaults = {
  user: 'm1',
  osVersion: '26.1',
  osBuild: '25B78',
  shell: '/bin/sh',
  address: '198.18.0.1',
  clientAddress: '198.51.100.7',
  hasConsole: true,
  sudoFailuresMax: 10,
  registrationsMax: 10,
} as const satisfies Omit<Settings, 'authorizedKeys'>;
