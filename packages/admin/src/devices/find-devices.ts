import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import {
  findDeviceTarget,
  findStoreTargets,
  type StoreTarget,
} from '@visitor-counter/database/enrolment/codes';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Kysely } from 'kysely';
import {
  type CommandContext,
  type Consent,
  confirm,
  OperatorError,
  unknownDevice,
} from '../command/context.ts';
import { requireKnown, unknownStore } from '../command/require-known.ts';

/** A device by its serial number, in any letter case. Throws OperatorError if there is none. */
export async function findDevice(
  { kysely }: Database,
  serial: string,
): Promise<ChosenDevice & { readonly store: string | null }> {
  const found = await findDeviceTarget(kysely, serial);
  if (found === undefined) throw unknownDevice(serial);
  return { ...found, id: found.deviceId };
}

/** The store of this sid. Throws OperatorError if there is none, or several and `company` does not say which one. */
export async function findStore(db: Kysely<unknown>, sid: string, company?: string): Promise<StoreTarget> {
  const [found, ...others] = await findStoreTargets(db, sid, company);
  if (found === undefined) throw unknownStore(sid, company);
  if (others.length === 0) return found;
  const names = [found, ...others].map((one) => one.company).join(', ');
  throw new OperatorError(`${names} have a store ${sid}: choose one with --company`);
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
  await requireKnown(db.kysely, filter);
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

/** Asks the operator to confirm an order to several devices, as `confirm`. */
export async function confirmFor(
  context: CommandContext,
  order: string,
  devices: readonly ChosenDevice[],
  consent: Consent,
): Promise<void> {
  if (devices.length === 1) return;
  const serials = devices.map(({ serial }) => serial).join(', ');
  const shown = serials.length <= longestList ? serials : `${serials.slice(0, longestList)} …`;
  await confirm(context, `${order} for ${devices.length} devices: ${shown}.`, consent);
}
