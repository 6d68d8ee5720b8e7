import { listDevices } from '@visitor-counter/database/devices/list-devices';
import type { Db, Transaction } from '@visitor-counter/database/sql/query-builder';
import { Refused } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { ArgumentSpec, Output } from '../command/command.ts';
import { type CommandContext, change, confirm, type RecordChange, withDatabase } from '../command/context.ts';
import { type ChosenDevice, findDevice, type Named, requireKnown } from '../command/find.ts';
import { deviceFilter, yes } from '../command/options.ts';
import { tableOf } from '../command/text.ts';

/* Orders to one unit or several: which devices, the confirmation, and the audit log. */

export const chosenSerials: ArgumentSpec<readonly string[]> = {
  name: '[serial...]',
  description: 'serial numbers',
};

export const choiceOptions = { ...deviceFilter, yes };

export const choiceHelp = `
Name devices by their serial numbers, or choose all that are in use in a store, a shop group or a company. For several
devices it shows how many they are, and asks, unless --yes is given.`;

/** Devices by their serial numbers, or those of a store, a shop group or a company. */
interface Choice extends Named {
  readonly serials: readonly string[];
  /** All devices in use, of `company` if it is given. */
  readonly all?: true | undefined;
}

/**
 * Changes the chosen devices in one transaction, after the operator has confirmed `what` if they are several. The output is
 * what `save` returns for each device. Throws as `chooseDevices` and `confirm`.
 */
export async function changeDevices(
  context: CommandContext,
  what: string,
  choice: Choice,
  save: (
    trx: Transaction,
    devices: readonly ChosenDevice[],
    record: RecordChange,
  ) => Promise<readonly object[]>,
): Promise<Output> {
  const devices = await withDatabase(context, ({ kysely }) => chooseDevices(kysely, choice));
  await confirmFor(context, what, devices);
  const changed = await change(context, (trx, record) => save(trx, devices, record));
  return { json: changed, text: tableOf(changed) };
}

/** The same for an order to each unit, which the audit log has with its details. */
export function orderFromEach(
  context: CommandContext,
  what: string,
  choice: Choice,
  action: string,
  order: (
    trx: Transaction,
    deviceId: number,
  ) => Promise<{ readonly output: object; readonly details: Readonly<Record<string, unknown>> }>,
): Promise<Output> {
  return changeDevices(context, what, choice, async (trx, devices, record) => {
    const ordered: object[] = [];
    for (const { id, serial, company } of devices) {
      const { output, details } = await order(trx, id);
      ordered.push({ serial, ...output });
      await record({ action, company, subject: { kind: 'device', key: serial }, details });
    }
    return ordered;
  });
}

/**
 * The devices of a choice; retired ones only by their serial numbers. Throws ConfigurationError if nothing is chosen, and
 * Refused if a device is unknown, or the choice has none, or those of several companies.
 */
async function chooseDevices(
  db: Db,
  { serials, all, company, store, group }: Choice,
): Promise<ChosenDevice[]> {
  const filter = { company, store, group };
  const isFiltered = all || Object.values(filter).some((part) => part !== undefined);
  if (isFiltered === serials.length > 0) {
    const expected = 'serial numbers, or a choice by --store, --group or --company, not both';
    throw new ConfigurationError('<serial>', serials.join(' ') || undefined, expected);
  }
  for (const serial of serials) await findDevice(db, serial);
  if (!isFiltered) return listDevices(db, { serials });
  await requireKnown(db, filter);
  const chosen = (await listDevices(db, filter)).filter(({ retiredAt }) => retiredAt === null);
  if (chosen.length === 0) throw new Refused('the choice contains no device in use');
  const companies = [...new Set(chosen.map(({ company }) => company))].join(', ');
  if (companies !== chosen[0]?.company)
    throw new Refused(`the devices belong to ${companies}: choose one with --company`);
  return chosen;
}

/** Asks the operator to confirm an order to several devices, as `confirm`. */
async function confirmFor(
  context: CommandContext,
  order: string,
  devices: readonly ChosenDevice[],
): Promise<void> {
  if (devices.length === 1) return;
  const serials = devices.map(({ serial }) => serial).join(', ');
  const shown = serials.length <= 200 ? serials : `${serials.slice(0, 200)} …`;
  await confirm(context, `${order} for ${devices.length} devices: ${shown}.`);
}
