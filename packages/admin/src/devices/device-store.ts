import { nameKey } from '@visitor-counter/domain/name-key';
import { command, required, secretOption } from '../command/command.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { findDevice, findStore } from '../command/find.ts';
import { checkSecret, company, deviceFilter, instant, nameKind, serialArgument } from '../command/options.ts';
import { applyEntry } from '../topology/apply-topology.ts';
import { storeAt } from '../topology/plan/plan-device.ts';

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
    const found = await withDatabase(context, ({ kysely }) => findStore(kysely, store, company));
    const entry = {
      company: found.company,
      list: 'devices',
      entry: { serial, store, name, secret },
    } as const;
    const { secrets } = await applyEntry(context, entry, ({ devices }) => {
      if (devices.has(nameKey(serial))) throw isRegistered(serial);
    });
    const [generated] = secrets;
    const shown = generated && 'secret' in generated ? generated.secret : null;
    const added = { serial, company: found.company, store, secret: shown };
    const once = shown === null ? '' : `\n\nShown only this once:\n  ${shown}`;
    return { json: added, text: `added device ${serial} to store ${store} of ${found.company}${once}` };
  },
});

function isRegistered(serial: string): OperatorError {
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
    const { serial, company } = await withDatabase(context, (db) => findDevice(db.kysely, given));
    const at = new Date(since).toISOString();
    const entry = { company, list: 'devices', entry: { serial, store, since: at } } as const;
    let from: string | null = null;
    const { changes } = await applyEntry(context, entry, ({ companies, devices }) => {
      from = storeAt(devices.get(nameKey(serial))?.assignments ?? [], since);
      const isKnown = [...companies.values()].some(({ stores }) => stores.has(store));
      if (!isKnown) throw new OperatorError(`${company} has no store ${JSON.stringify(store)}`);
    });
    const [change] = changes;
    if (change === undefined) throw new OperatorError(`device ${serial} belongs to store ${store} already`);
    const { crossings = 0 } = change;
    const text =
      since > Date.now()
        ? `device ${serial} moves to store ${store} at ${at}, in the future`
        : `moved device ${serial} to store ${store} since ${at}, ${crossings} crossings with it`;
    return { json: { serial, company, from, store, since: at, crossings }, text };
  },
});
