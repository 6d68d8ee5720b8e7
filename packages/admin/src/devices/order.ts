import { type Author, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { listDevices } from '@visitor-counter/database/devices/list-devices';
import { addDeviceCommand } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { utcText } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { type CommandContext, type Consent, confirm, OperatorError } from '../command/context.ts';
import { type ChosenDevice, findDevice, requireKnown } from '../command/find.ts';

/** Devices by their serial numbers, or those of a store, a shop group or a company. */
export interface DeviceChoice {
  readonly serials: readonly string[];
  readonly company?: string | undefined;
  readonly store?: string | undefined;
  readonly group?: string | undefined;
  /** All devices in use, of `company` if it is given. */
  readonly all?: true | undefined;
}

/**
 * The devices of a choice; retired ones only by their serial numbers. Throws ConfigurationError if nothing is chosen, and
 * OperatorError if a device is unknown, or the choice has none, or those of several companies.
 */
export async function chooseDevices(db: Database, choice: DeviceChoice): Promise<ChosenDevice[]> {
  const { serials, all, ...filter } = choice;
  const isFiltered = all || Object.values(filter).some((part) => part !== undefined);
  if (isFiltered === serials.length > 0) {
    const expected = 'serial numbers, or a choice by --store, --group or --company, not both';
    throw new ConfigurationError('<serial>', serials.join(' ') || undefined, expected);
  }
  for (const serial of serials) await findDevice(db.kysely, serial);
  if (!isFiltered) return listDevices(db.kysely, { serials });
  await requireKnown(db.kysely, filter);
  const chosen = (await listDevices(db.kysely, filter)).filter(({ retiredAt }) => retiredAt === null);
  if (chosen.length === 0) throw new OperatorError('the choice contains no device in use');
  const companies = [...new Set(chosen.map(({ company }) => company))].join(', ');
  if (companies !== chosen[0]?.company)
    throw new OperatorError(`the devices belong to ${companies}: choose one with --company`);
  return chosen;
}

/** Asks the operator to confirm an order to several devices, as `confirm`. */
export async function confirmFor(
  context: CommandContext,
  order: string,
  devices: readonly ChosenDevice[],
  consent: Consent,
): Promise<void> {
  if (devices.length === 1) return;
  const serials = devices.map(({ serial }) => serial).join(', ');
  const shown = serials.length <= 200 ? serials : `${serials.slice(0, 200)} …`;
  await confirm(context, `${order} for ${devices.length} devices: ${shown}.`, consent);
}

/**
 * Orders a command from all devices, or from none. A unit that connects only after `expires` (epoch ms) never receives it.
 * Resolves with the id of each command.
 */
export async function orderCommand(
  { kysely }: Database,
  author: Author,
  devices: readonly ChosenDevice[],
  { order, expires }: { readonly order: UnitOrder; readonly expires: number },
): Promise<{ readonly serial: string; readonly id: number }[]> {
  return kysely.transaction().execute(async (trx) => {
    const ordered: { serial: string; id: number }[] = [];
    for (const { id: deviceId, serial, company } of devices) {
      const id = await addDeviceCommand(trx, deviceId, order, expires);
      ordered.push({ serial, id });
      await recordAudit(trx, author, {
        action: 'command ordered',
        company,
        subject: { kind: 'device', key: serial },
        details: { id, ...order, expires: utcText(expires) },
      });
    }
    return ordered;
  });
}
