import { type Author, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { addDeviceCommand } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import type { ChosenDevice } from './find-devices.ts';

interface CommandToOrder {
  readonly order: UnitOrder;
  /** A unit that has not connected by then never receives it. */
  readonly expires: Date;
}

/** Orders a command from all devices, or from none. Resolves with the id of each command. */
export async function orderCommand(
  { kysely }: Database,
  author: Author,
  devices: readonly ChosenDevice[],
  { order, expires }: CommandToOrder,
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
        details: { id, ...order, ...instantsOf(order), expires: expires.toISOString() },
      });
    }
    return ordered;
  });
}

function instantsOf(order: UnitOrder): object {
  if (!('from' in order)) return {};
  return { from: new Date(order.from).toISOString(), until: new Date(order.until).toISOString() };
}
