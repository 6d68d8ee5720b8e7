import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type CommandContext, confirm, OperatorError, unknownDevice } from '../command/context.ts';

/** The id, the serial number, as registered, and the company of a device. Throws OperatorError if there is none. */
export async function findDevice({ kysely }: Database, serial: string): Promise<ChosenDevice> {
  const [device] = await listDevices(kysely, { serials: [serial] });
  if (device) return device;
  throw unknownDevice(serial);
}

/** Devices by their serial numbers, or those of a store, a shop group or a company. */
export interface DeviceChoice {
  readonly serials: readonly string[];
  readonly company?: string | undefined;
  readonly store?: string | undefined;
  readonly group?: string | undefined;
}

export type ChosenDevice = Pick<ListedDevice, 'id' | 'serial' | 'company'>;

/**
 * The devices of a choice; retired ones only by their serial numbers. Throws ConfigurationError if nothing is chosen, and
 * OperatorError if a device is unknown, or the choice has none, or those of several companies.
 */
export async function chooseDevices(db: Database, choice: DeviceChoice): Promise<ChosenDevice[]> {
  const { serials, ...filter } = choice;
  const isFiltered = Object.values(filter).some((part) => part !== undefined);
  if (isFiltered === serials.length > 0) {
    const expected = 'serial numbers, or a choice by --store, --group or --company, not both';
    throw new ConfigurationError('<serial>', serials.join(' ') || undefined, expected);
  }
  for (const serial of serials) await findDevice(db, serial);
  const listed = await listDevices(db.kysely, isFiltered ? filter : { serials });
  const chosen = isFiltered ? listed.filter(({ retiredAt }) => retiredAt === null) : listed;
  if (chosen.length === 0) throw new OperatorError('the choice contains no device in use');
  const companies = [...new Set(chosen.map(({ company }) => company))];
  if (isFiltered && companies.length > 1) {
    const message = `the devices belong to ${companies.join(', ')}: choose one with --company`;
    throw new OperatorError(message);
  }
  return chosen;
}

/** The most characters of serial numbers in a question. */
const longestList = 200;

/** Asks the operator to confirm an order to several devices, unless `yes`. Throws OperatorError if not confirmed. */
export async function confirmFor(
  context: CommandContext,
  order: string,
  devices: readonly ChosenDevice[],
  { yes, json }: { readonly yes: true | undefined; readonly json: true | undefined },
): Promise<void> {
  if (yes || devices.length === 1) return;
  if (json) throw new ConfigurationError('--json', undefined, '--yes as well, for several devices');
  const serials = devices.map(({ serial }) => serial).join(', ');
  const shown = serials.length <= longestList ? serials : `${serials.slice(0, longestList)} …`;
  await confirm(context, `${order} for ${devices.length} devices: ${shown}.`);
}
