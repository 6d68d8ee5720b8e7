import { signal } from '@preact/signals';
import { devices } from '../data/calls.ts';
import { text } from '../text/text.ts';

/** The names of doors by the serial numbers of their devices. */
const names = signal<ReadonlyMap<string, string>>(new Map());

/** What people call a door; one that was never named has its serial number as its name, which they do not know. */
export function doorName({ serial, name }: { readonly serial: string; readonly name: string }): string {
  return name === serial ? text.devices.door : name;
}

/** Device serials for which names were asked; one that is unknown afterwards has been retired. */
const asked = new Set<string>();

/** The name of the door of a device, as people call it. Asks for the names once for each new device. */
export function doorOf(serial: string | null | undefined): string {
  if (!serial) return text.someDoor;
  const name = names.value.get(serial);
  if (name === undefined && !asked.has(serial)) {
    asked.add(serial);
    void devices().then(rememberNames, () => asked.delete(serial));
  }
  return name ?? text.someDoor;
}

function rememberNames(found: readonly { readonly serial: string; readonly name: string }[]): void {
  for (const { serial } of found) asked.add(serial);
  names.value = new Map(found.map((device) => [device.serial, doorName(device)]));
}
