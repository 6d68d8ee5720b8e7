import { countByDevice } from '@visitor-counter/database/occupancy/count-by-device';
import { finalUntil } from '@visitor-counter/database/retention/removed-before';
import { doorsOfStores } from '@visitor-counter/database/stores/doors';
import { type Cells, planOf } from '@visitor-counter/database/visitors/plan';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import { route } from '../routing/route.ts';
import { count, orNull, requireOrder, storeSid, text } from '../routing/shapes.ts';
import { requestedStores } from '../stores/stores.ts';
import { requireFew } from './read-visitors.ts';
import { compareQuery, periodQuery } from './shapes.ts';

/** Who went through each door of a store; staff are not left out. */
export const getVisitorsByDoor = route(
  {
    method: 'GET',
    path: '/v1/visitors/doors',
    summary: 'Entries and exits by door',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      store: storeSid,
      ...periodQuery,
      ...compareQuery,
    }),
    answer: Type.Object({
      items: Type.Array(
        Type.Object(
          {
            device: text('Serial number.'),
            name: text('Name of the door.'),
            in: count('People who came in, with staff.'),
            out: count('People who went out.'),
            before: orNull(
              count(
                'People who came in in the compared period; null: the door was not there, or no period is compared.',
              ),
            ),
          },
          { $id: 'DoorCounts' },
        ),
      ),
    }),
    columns: ['device', 'name', 'in', 'out', 'before'],
  },
  async ({ caller, query }, { snapshots, exports, now }) => {
    const at = now();
    requireOrder(query);
    using _slot = await exports.acquire(caller);
    return await snapshots.read(async ({ db }) => {
      const [store] = await requestedStores(db, caller, query.store);
      if (store === undefined) return { items: [] };
      const final = (await finalUntil(db, store.id)) ?? 0;
      const requested = { days: { from: query.from, to: query.to }, size: 'day', now: at } as const;
      requireFew([store], requested);
      const plan = planOf(store.calendar, { ...requested, compare: query.compare, final });
      const counts = await countDoors(db, store.id, plan);
      const before = plan.before && (await countDoors(db, store.id, plan.before));
      const doors = await doorsOfStores(db, [store.id], at);
      const items = doors.flatMap(({ serial, name, isPresent, since }) => {
        const [counted, earlier] = [counts.get(serial), before?.get(serial)];
        if (!isPresent && counted === undefined && earlier === undefined) return [];
        const entries = { in: counted?.in ?? 0, out: counted?.out ?? 0 };
        const wasThere = earlier !== undefined || since < (plan.before?.to ?? since);
        return [{ device: serial, name, ...entries, before: wasThere ? (earlier?.in ?? 0) : null }];
      });
      return { items };
    });
  },
);

interface InOut {
  readonly in: number;
  readonly out: number;
}

/** Entries and exits of each device, by its serial number. */
async function countDoors(
  db: Kysely<unknown>,
  storeId: number,
  { starts, to }: Cells,
): Promise<Map<string, InOut>> {
  const counts = new Map<string, InOut>();
  if (starts.length === 0) return counts;
  for await (const { serial, ...counted } of countByDevice(db, [
    { storeId, starts: starts.slice(0, 1), to },
  ])) {
    const sum = counts.get(serial) ?? { in: 0, out: 0 };
    counts.set(serial, { in: sum.in + counted.in, out: sum.out + counted.out });
  }
  return counts;
}
