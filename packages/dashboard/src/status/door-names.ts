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

/** Serials of devices whose names were requested; one that is unknown afterwards has been retired. */
const asked = new Set<string>();

/** After a failed request, names are not requested for so long (ms). */
const pause = 30_000;

/** The request for the names, while it is in flight. */
let request: Promise<void> | undefined;

/** The name of the door of a device, if people call it by one. Requests the names once for new devices. */
export function doorOf(serial: string | null | undefined): string | undefined {
  if (!serial) return undefined;
  const name = names.value.get(serial);
  if (name === undefined && !asked.has(serial)) {
    asked.add(serial);
    request ??= devices()
      .then(rememberNames)
      .finally(() => {
        request = undefined;
      });
    request.catch(() => setTimeout(() => asked.delete(serial), pause));
  }
  return name;
}

function rememberNames(found: readonly NamedDevice[]): void {
  for (const { serial } of found) asked.add(serial);
  names.value = new Map(found.map((device) => [device.serial, givenName(device)]));
}
