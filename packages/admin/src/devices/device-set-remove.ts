import { listDevices } from '@visitor-counter/database/devices/list-devices';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import { command } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { findCompany, findDevice, findStore, unknownDevice } from '../command/find.ts';
import { company, serialArgument } from '../command/options.ts';
import { lists } from '../file/lists.ts';
import { removeEntry, setCommand } from '../topology/entities.ts';

export const setDeviceCommand = setCommand(lists.devices, {
  description: 'Register a device, or move or change it.',
  options: { company },
  help: `
A new device needs --store. Its secret is generated if --secret is left out; it is printed only once and not stored: the
unit needs the serial number and the secret. A unit that enrols with a code (admin enrolment create) registers itself, and
needs neither.

Another --store moves it, now or from the instant --since on. Crossings from that instant on, also those that are stored
already, move with it; earlier ones stay in their store. If it has moved again after that instant, it moves until then. The
unit needs no change. To cancel a move in the future, repeat it with the same instant and the present store.

Examples:
  admin device set CU-0002 --store S-1 --name "Back door"
  admin device set CU-0002 --store S-2 --since 2026-11-20T10:00:00Z`,
  ownerOf: async (trx, company, { serial, store }) =>
    await ownerOf(trx, String(serial), typeof store === 'string' ? store : undefined, company),
});

/** The company of a device that is registered, else of the store of a new one. */
async function ownerOf(
  trx: Transaction,
  serial: string,
  store: string | undefined,
  company: string | undefined,
) {
  const [known] = await listDevices(trx, { serials: [serial], company });
  if (known === undefined && store === undefined) throw unknownDevice(serial, company);
  const found = known ?? (await findStore(trx, store ?? '', company));
  return await findCompany(trx, found.company);
}

export const removeDeviceCommand = command({
  name: 'remove',
  description: 'Remove a device that was added by mistake and has delivered nothing.',
  argument: serialArgument,
  run: async (context, _options, given) => {
    const { serial, company } = await withDatabase(context, ({ kysely }) => findDevice(kysely, given));
    return await removeEntry(context, { company, what: `device ${serial}` }, 'device', () => ({ serial }));
  },
});
