import { addDays, type IsoDate, localDateAt } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { askApi } from './ask-api.ts';
import { type DemoStore, demoStores } from './company/stores.ts';
import type { Demo } from './start-demo.ts';

/** The latest days of which tills report what was sold. */
const days = 28;

const Visitors = Compile(
  Type.Object({ items: Type.Array(Type.Object({ date: Type.String(), visitors: Type.Integer() })) }),
);

/**
 * Reports the sales of the days that are over, as tills would, so that the page has a conversion. Repeating it replaces them.
 * Throws if the api does not accept them.
 */
export async function reportSales(
  { state, addresses }: Demo,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const headers = { authorization: `Bearer ${state.staff}`, 'content-type': 'application/json' };
  for (const store of demoStores) {
    const today = localDateAt(now, store.timeZone);
    const period = `from=${addDays(today, -days)}&to=${addDays(today, -1)}`;
    const visitors = `${addresses.pageUrl}v1/visitors?store=${store.sid}&${period}&bucket=day`;
    const { items } = Visitors.Parse(await askApi(visitors, { headers, signal }));
    const sales = items.filter((day) => day.visitors > 0).map((day) => saleOf(store, day));
    const body = JSON.stringify({ items: sales });
    await askApi(`${addresses.pageUrl}v1/sales`, { method: 'POST', headers, signal }, body);
  }
}

/** The sum of a day: 22 to 34 % of the visitors buy something. */
function saleOf(
  { sid }: DemoStore,
  { date, visitors }: { readonly date: IsoDate; readonly visitors: number },
) {
  const step = Number(date.slice(-2)) % 7;
  const transactions = Math.round(visitors * (0.22 + 0.02 * step));
  return { store: sid, id: date, at: `${date}T12:00`, transactions, amount: transactions * (24 + step) };
}
