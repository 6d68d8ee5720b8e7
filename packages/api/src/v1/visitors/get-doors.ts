import { deliveryIn, namesOf, reasonsIn } from '@visitor-counter/database/devices/delivery';
import { storeDevices } from '@visitor-counter/database/devices/store-devices';
import { countByDevice } from '@visitor-counter/database/occupancy/count-stores';
import { keptFrom } from '@visitor-counter/database/retention/retention';
import { doorsOfStores } from '@visitor-counter/database/stores/store-facts';
import { type Cells, planOf } from '@visitor-counter/database/visitors/plan';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { count, orNull, storeSid, text } from '../routing/shapes.ts';
import { incompleteShape } from '../stores/completeness.ts';
import { readReport, report } from '../stores/requested-stores.ts';
import { compareQuery, periodQuery, requireFew } from './requests.ts';

const doorShape = Type.Object(
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
    incomplete: incompleteShape,
  },
  { $id: 'DoorCounts' },
);

/** Who went through each door of a store; staff are not left out. */
export const getVisitorsByDoor = route(
  {
    ...report,
    path: '/v1/visitors/doors',
    summary: 'Entries and exits by door',
    query: Type.Object({
      store: storeSid,
      ...periodQuery,
      ...compareQuery,
    }),
    answer: Type.Object({
      items: Type.Array(doorShape),
    }),
    columns: columnsOf(doorShape),
  },
  async (request, resources) =>
    readReport(request, resources, async (db, [store], now) => {
      if (store === undefined) return { items: [] };
      const { from, to, compare } = request.query;
      const kept = await keptFrom(db, { storeId: store.id });
      const requested = { days: { from, to }, size: 'day', now } as const;
      requireFew([store], requested);
      const plan = planOf(store.calendar, { ...requested, compare, kept });
      const countIn = async ({ starts, to }: Cells) => {
        const whole = { storeId: store.id, starts: starts.slice(0, 1), to };
        const [counts] = await countByDevice(db, [whole]);
        return (serial: string) => {
          const own = counts?.get(serial);
          return own && { in: own.entries[0] ?? 0, out: own.exits[0] ?? 0 };
        };
      };
      const counted = await countIn(plan);
      const before = plan.before && (await countIn(plan.before));
      const doors = await doorsOfStores(db, [store.id], now);
      const time = { from: plan.all[0]?.from ?? now, to: plan.all.at(-1)?.to ?? now };
      const devices = await storeDevices(db, [store], now, time.from);
      const items = doors.flatMap(({ serial, name, isPresent, since }) => {
        const [own, earlier] = [counted(serial), before?.(serial)];
        if (!isPresent && own === undefined && earlier === undefined) return [];
        const wasThere = earlier !== undefined || since < (plan.before?.to ?? since);
        const delivered = devices.map((one) => deliveryIn(one, now, serial));
        const begin = own === undefined ? since : time.from;
        const bits = delivered.reduce((all, delivery) => all | reasonsIn(time, { delivery, begin }, now), 0);
        const entries = own ?? { in: 0, out: 0 };
        const incomplete = namesOf(bits);
        return [
          { device: serial, name, ...entries, before: wasThere ? (earlier?.in ?? 0) : null, incomplete },
        ];
      });
      return { items };
    }),
);
