import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import { command, required, textOption } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { findDevice, findStore } from '../command/find.ts';
import { checkSecret, company, deviceFilter, instant, nameKind, serialArgument } from '../command/options.ts';
import { applyEntry } from '../topology/apply-topology.ts';

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
    secret: textOption('<secret>', 'its secret, at least 16 characters; generated when left out'),
  },
  help: `
The secret is printed only once and not stored: the unit needs the serial number and the secret. A unit that enrols with
a code (admin enrolment create) registers itself, and needs neither.

Example:
  admin device add CU-0002 --store S-1 --name "Back door"`,
  run: async (context, { store, company, name, secret }, serial) => {
    checkSecret('--secret', secret);
    const added = await withChanges(context, async (db, author) => {
      const { company: owner } = await findStore(db.kysely, store, company);
      const entry = { company: owner, list: 'devices', entry: { serial, store, name, secret } } as const;
      const check = ({ devices }: StoredTopology) => {
        if (devices.has(nameKey(serial))) throw isRegistered(serial);
      };
      const { secrets } = await applyEntry(db, author, entry, { check });
      const [generated] = secrets;
      const shown = generated && 'secret' in generated ? generated.secret : null;
      return { serial, company: owner, store, secret: shown };
    });
    const shown = added.secret === null ? '' : `\n\nShown only this once:\n  ${added.secret}`;
    return { json: added, text: `added device ${serial} to store ${store} of ${added.company}${shown}` };
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
store. If the device has moved again after that instant, it moves until then. The unit needs no change.

JSON: {"serial","company","from","store","since","crossings":<how many moved with it>}`,
  run: async (context, { store, since = Date.now() }, given) => {
    const moved = await withChanges(context, async (db, author) => {
      const { serial, company, store: from } = await findDevice(db, given);
      const entry = { serial, store, since: new Date(since).toISOString() };
      const check = ({ companies }: StoredTopology) => {
        const isKnown = [...companies.values()].some(({ stores }) => stores.has(store));
        if (!isKnown) throw new OperatorError(`${company} has no store ${JSON.stringify(store)}`);
      };
      const { changes } = await applyEntry(db, author, { company, list: 'devices', entry }, { check });
      const [change] = changes;
      if (change === undefined) throw new OperatorError(`device ${serial} belongs to store ${store} already`);
      return { serial, company, from, store, since: entry.since, crossings: change.crossings ?? 0 };
    });
    const { serial, crossings, since: at } = moved;
    const text =
      since > Date.now()
        ? `device ${serial} moves to store ${store} at ${at}, in the future; until then it stays in ${moved.from}`
        : `moved device ${serial} to store ${store} since ${at}, ${crossings} crossings with it`;
    return { json: moved, text };
  },
});
