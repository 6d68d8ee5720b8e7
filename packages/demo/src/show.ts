import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { askApi } from './ask-api.ts';
import { type Backlog, backlogLine } from './backlog.ts';
import { demoCompany, demoStores } from './company/stores.ts';
import type { Screen } from './screen.ts';
import type { Demo } from './start-demo.ts';

/** How often the screen is redrawn (ms), and how often a table is printed if it cannot be redrawn. */
const redrawEvery = 1_000;
const printEvery = 60_000;

/** Shows the progress of the past, until all of it is delivered. */
export async function showBacklog(
  demo: Demo,
  backlog: Backlog,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  let printedTenths = -1;
  for (;;) {
    const { part, acknowledged, isDelivered } = backlog.summary(demo.state, Date.now());
    if (isDelivered) {
      const crossings = acknowledged.toLocaleString('en');
      return screen.done(`the past has been delivered: ${crossings} crossings`, startedAt);
    }
    const tenths = Math.floor(part * 10);
    if (screen.interactive) screen.redraw(backlogLine(part, acknowledged));
    else if (tenths > printedTenths) screen.line(backlogLine(part, acknowledged));
    printedTenths = tenths;
    await delay(redrawEvery, undefined, { signal });
  }
}

/** Shows the stores' occupancy until it is stopped. */
export async function showStores(demo: Demo, screen: Screen, signal: AbortSignal): Promise<void> {
  const timeZones = new Map(demoStores.map(({ name, timeZone }) => [name, timeZone]));
  const pause = screen.interactive ? redrawEvery : printEvery;
  while (!signal.aborted) {
    /* Undefined while the api does not respond: its supervisor restarts it. */
    const stores = await occupancyNow(demo, signal).catch(() => undefined);
    if (signal.aborted) return;
    const table = stores
      ? liveTable(stores, timeZones, Date.now())
      : 'The api does not answer; trying again.';
    if (screen.interactive) screen.redraw(table);
    else screen.line(table);
    await delay(pause, undefined, { signal });
  }
}

const Stores = Type.Array(
  Type.Object({ StoreName: Type.String(), DateTime: Type.String(), Amount: Type.Integer() }),
);

type StoreNow = Static<typeof Stores>[number];

const stores = Compile(Stores);

/** Requests today's occupancy of every store from the public interface, as an integrator would. */
async function occupancyNow({ addresses, state }: Demo, signal: AbortSignal): Promise<StoreNow[]> {
  const form = new URLSearchParams({ CompanyName: demoCompany, Token: state.token }).toString();
  const url = `${addresses.serviceUrl}/GetAllCountsByCompanyForTodayPublic`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return stores.Parse(await askApi(url, { method: 'POST', headers, signal }, form));
}

/** The stores, their local time, the people inside, and when the number last changed. */
function liveTable(stores: readonly StoreNow[], timeZones: ReadonlyMap<string, string>, now: number): string {
  const width = Math.max(...stores.map(({ StoreName }) => StoreName.length), 5);
  const rows = stores.map(({ StoreName, DateTime, Amount }) => {
    const time = localTime(now, timeZones.get(StoreName) ?? 'UTC');
    return `${StoreName.padEnd(width)}  ${time}  ${styleText('bold', String(Amount).padStart(6))}   ${since(DateTime, now)}`;
  });
  const head = `${'Store'.padEnd(width)}  local  inside   last movement`;
  return [styleText('dim', head), ...rows, '', styleText('dim', 'Ctrl-C stops everything.')].join('\n');
}

function localTime(now: number, timeZone: string): string {
  return new Date(now).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

function since(dateTime: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(dateTime)) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3_600)} h ago`;
}
