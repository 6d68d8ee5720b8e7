import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type IsoDate, localDateAt } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { askApi } from './ask-api.ts';
import { type DemoStore, demoStores, wholePast } from './company/stores.ts';
import type { Demo } from './start-demo.ts';

const Visitors = Compile(
  Type.Object({ items: Type.Array(Type.Object({ date: Type.String(), visitors: Type.Integer() })) }),
);

/** How long after a report the next one is, if this one had something new (ms), and if it had not. */
const pauses = { changed: 5_000, unchanged: 600_000 };

/**
 * Reports the sales of the days that are over, as tills would, so that the page has a conversion, until `signal` aborts. The
 * projection of a day may be behind what units have delivered, and older months arrive later: days whose visitors have changed
 * are reported again. Calls `onReported` when all are reported for the first time, and `onError` when the api does not accept
 * them.
 */
export async function reportSales(
  demo: Demo,
  signal: AbortSignal,
  onReported: () => void,
  onError: (error: unknown) => void,
): Promise<void> {
  const reported = new Map<string, number>();
  let isAnnounced = false;
  while (!signal.aborted) {
    const before = reported.size;
    const changed = await reportChanged(demo, reported, signal).catch((error: unknown) => {
      if (!signal.aborted) onError(error);
      return 0;
    });
    if (!isAnnounced && changed === 0 && before > 0) {
      isAnnounced = true;
      onReported();
    }
    await delay(changed > 0 || before === 0 ? pauses.changed : pauses.unchanged, undefined, { signal });
  }
}

/** Reports the days whose visitors differ from those that were reported; returns how many there were. */
async function reportChanged(
  { state, addresses }: Demo,
  reported: Map<string, number>,
  signal: AbortSignal,
): Promise<number> {
  const headers = { authorization: `Bearer ${state.staff}`, 'content-type': 'application/json' };
  let sum = 0;
  for (const store of demoStores) {
    const today = localDateAt(Date.now(), store.timeZone);
    const period = `from=${addDays(today, -wholePast)}&to=${addDays(today, -1)}`;
    const visitors = `${addresses.pageUrl}v1/visitors?store=${store.sid}&${period}&bucket=day`;
    const { items } = Visitors.Parse(await askApi(visitors, { headers, signal }));
    const changed = items.filter((day) => (reported.get(keyOf(store, day.date)) ?? 0) !== day.visitors);
    if (changed.length === 0) continue;
    const body = JSON.stringify({ items: changed.map((day) => saleOf(store, day)) });
    await askApi(`${addresses.pageUrl}v1/sales`, { method: 'POST', headers, signal }, body);
    for (const { date, visitors: count } of changed) reported.set(keyOf(store, date), count);
    sum += changed.length;
  }
  return sum;
}

const keyOf = ({ sid }: DemoStore, date: IsoDate) => `${sid} ${date}`;

/** The sum of a day: 22 to 34 % of the visitors buy something. */
function saleOf(
  { sid }: DemoStore,
  { date, visitors }: { readonly date: IsoDate; readonly visitors: number },
) {
  const step = Number(date.slice(-2)) % 7;
  const transactions = Math.round(visitors * (0.22 + 0.02 * step));
  return { store: sid, id: date, at: `${date}T12:00`, transactions, amount: transactions * (24 + step) };
}
