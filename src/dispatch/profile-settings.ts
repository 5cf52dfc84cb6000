/** Settings of profiles, shared by dispatch and `muster accounts`, so that both use the same labels and pools. */
import { list, text } from '../platform/settings/parsers.ts';
import {
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
  type Values,
} from '../platform/settings/setting.ts';
import type { Size } from './store/rows.ts';
import { sizeOf, type ProfileSettings } from './webhooks/profile-routes.ts';

const size: Parser<Size> = {
  placeholder: 'size',
  expects: 'a size such as 4vcpu-16gb',
  parse: (given) => {
    const read = sizeOf(given);
    if (read === undefined) throw new WrongValue('that is not a size');
    return read;
  },
};

export const profileSettings = settingTable({
  profileLabelPrefix: withDefault(
    text,
    'tuist-',
    'a job chooses a profile of its account by the label that begins so and ends in the name of the profile',
  ),
  linuxPoolPrefix: withDefault(
    text,
    'linux',
    'a profile on Linux runs on the pool with this name and its size, such as linux-4vcpu-16gb',
  ),
  macosPoolPrefix: withDefault(text, 'macos', 'the same for Macs'),
  linuxShapes: withDefault(
    list(size),
    '',
    'the sizes of pools on Linux; an account that is new gets the profile linux of the first',
  ),
});

export function profilesFrom(values: Values<typeof profileSettings>): ProfileSettings {
  return {
    labelPrefix: values.profileLabelPrefix,
    poolPrefixes: { linux: values.linuxPoolPrefix, macos: values.macosPoolPrefix },
    linuxSizes: values.linuxShapes,
  };
}
