import { saveDevice } from '@visitor-counter/database/configuration/device';
import { listDevices } from '@visitor-counter/database/devices/list-devices';
import { command, required, secretOption } from '../command/command.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { findDevice, findStore } from '../command/find.ts';
import { checkSecret, company, deviceFilter, instant, nameKind, serialArgument } from '../command/options.ts';
import { configure, removeEntry } from '../topology/save-entry.ts';

export const addCommand = command({
  name: 'add',
  description: 'Register a new device in a store, and print its secret.',
  argument: serialArgument,
  options: {
    store: required({ ...deviceFilter.store, description: 'the store, by its sid' }),
    company,
    name: {
      value: '<name>',
      description: 'its name; the serial number when left out',
      kind: nameKind,
    },
    secret: secretOption('<secret>', 'its secret, at least 16 characters of ASCII; generated when left out'),
  },
  help: `
The secret is printed only once and not stored: the unit needs the serial number and the secret. A unit that enrols with
a code (admin enrolment create) registers itself, and needs neither.

Example:
  admin device add CU-0002 --store S-1 --name "Back door"`,
  run: async (context, { store, company, name, secret }, serial) => {
    checkSecret('--secret', secret);
    const { found, shown } = await configure(context, async (trx) => {
      const found = await findStore(trx, store, company);
      if ((await listDevices(trx, { serials: [serial] })).length > 0) throw registeredAlready(serial);
      const given = { serial, store, ...(name && { name }), ...(secret && { secret }) };
      const saved = await saveDevice(trx, { id: found.companyId, name: found.company }, given);
      return { found, shown: saved.secret ?? null };
    });
    const added = { serial, company: found.company, store, secret: shown };
    const once = shown === null ? '' : `\n\nShown only this once:\n  ${shown}`;
    return { json: added, text: `added device ${serial} to store ${store} of ${found.company}${once}` };
  },
});

function registeredAlready(serial: string): OperatorError {
  const ways = `move it with \`admin device move ${serial}\`, or replace its unit with \`admin device replace ${serial}\``;
  return new OperatorError(`device ${serial} is registered already: ${ways}`);
}

export const moveCommand = command({
  name: 'move',
  description: 'Move a device to another store of its company, now or from an instant on.',
  argument: serialArgument,
  options: {
    store: required({
      ...deviceFilter.store,
      description: 'the store that it belongs to from then on, by its sid',
    }),
    since: instant('when it was moved, such as 2026-11-20T10:00:00Z (default: now)'),
  },
  help: `
Crossings from that instant on, also those that are stored already, move with the device; earlier ones stay in their
store. If the device has moved again after that instant, it moves until then. The unit needs no change. To cancel a move
in the future, repeat it with the same instant and the present store.

JSON: {"serial","company","from","store","since","crossings":<how many moved with it>}`,
  run: async (context, { store, since = Date.now() }, given) => {
    const at = new Date(since).toISOString();
    const {
      serial,
      company,
      from,
      crossings = 0,
    } = await configure(context, async (trx) => {
      const { serial, company } = await findDevice(trx, given);
      const { companyId } = await findStore(trx, store, company);
      const saved = await saveDevice(trx, { id: companyId, name: company }, { serial, store, since: at });
      if (saved.action !== 'moved')
        throw new OperatorError(`device ${serial} belongs to store ${store} already`);
      return { serial, company, ...saved };
    });
    const text =
      since > Date.now()
        ? `device ${serial} moves to store ${store} at ${at}, in the future`
        : `moved device ${serial} to store ${store} since ${at}, ${crossings} crossings with it`;
    return { json: { serial, company, from, store, since: at, crossings }, text };
  },
});

export const removeCommand = command({
  name: 'remove',
  description: 'Remove a device that was added by mistake and has delivered nothing.',
  argument: serialArgument,
  run: async (context, _options, given) => {
    const { serial, company } = await withDatabase(context, ({ kysely }) => findDevice(kysely, given));
    return await removeEntry(context, { company, what: `device ${serial}` }, 'device', () => ({ serial }));
  },
});
