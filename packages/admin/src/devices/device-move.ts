import type { StoredTopology } from '@visitor-counter/database/topology/topology';
import { command, required } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { deviceFilter, instant, serialArgument } from '../command/options.ts';
import { applyEntry } from '../topology/apply-topology.ts';
import { findDevice } from './find-devices.ts';

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
