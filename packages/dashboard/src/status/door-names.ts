import { signal } from '@preact/signals';
import { devices } from '../data/calls.ts';
import { text } from '../text/text.ts';

/** The names of doors by the serial numbers of their devices. */
const names = signal<ReadonlyMap<string, string | undefined>>(new Map());

interface NamedDevice {
  readonly serial: string;
  readonly name: string;
}

/** What people call a door. One that was never named has its serial number as its name, which they do not know. */
export function givenName({ serial, name }: NamedDevice): string | undefined {
  return name === serial ? undefined : name;
}

export function doorName(device: NamedDevice): string {
  return givenName(device) ?? text.door;
}

/** The names are requested at most once in so long (ms). */
const pause = 30_000;

/** epoch ms */
let requestedAt = 0;

/** The name of the door of a device, if people call it by one. Requests the names for a device that is new. */
export function doorOf(serial: string | null | undefined): string | undefined {
  if (!serial) return undefined;
  if (!names.value.has(serial) && Date.now() >= requestedAt + pause) {
    requestedAt = Date.now();
    devices().then(
      (found) => {
        /* A serial number that is not in the list, such as that of a retired unit, is not asked for again. */
        const known = found.map((device) => [device.serial, givenName(device)] as const);
        names.value = new Map([...names.value, [serial, undefined], ...known]);
      },
      () => {},
    );
  }
  return names.value.get(serial);
}
