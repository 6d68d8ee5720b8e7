import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addDays } from '@visitor-counter/domain/time-zone';
import { occupancyNow, type StoreNow } from './company/occupancy-now.ts';
import { recordedDays } from './company/recording-days.ts';
import { demoCompany, demoStores, recordedStore } from './company/stores.ts';
import type { DemoConfig } from './config/demo-config.ts';
import type { Demo } from './start-demo.ts';
import { backlogLine, summarise } from './terminal/backlog.ts';
import { liveTable } from './terminal/live-table.ts';
import { nextSteps } from './terminal/next-steps.ts';
import type { Screen } from './terminal/screen.ts';
import type { UnitsProgress } from './units-progress.ts';

/** How often the screen is redrawn (ms), and how often a table is printed if it cannot be redrawn. */
const redrawEvery = 1_000;
const printEvery = 60_000;

/** Prints addresses, credentials and a line to paste for each operation. */
export function showNextSteps({ state, addresses }: Demo, { httpTls }: DemoConfig, screen: Screen): void {
  const store = demoStores.find(({ name }) => name === recordedStore);
  const [door] = store?.doors ?? [];
  const firstDay = store && state.startsOn[store.sid];
  if (store === undefined || door === undefined || firstDay === undefined) return;
  const lastFriday = addDays(firstDay, recordedDays - 2);
  screen.line(
    nextSteps({
      addresses,
      caFile: httpTls && resolve(httpTls.certFile),
      staff: state.staff,
      company: demoCompany,
      shopGroup: store.group,
      serialNumber: door.serial,
      token: state.token,
      key: state.key,
      from: `${lastFriday}T12:00`,
      to: `${lastFriday}T12:30`,
      firstDay,
      lastDay: addDays(firstDay, recordedDays - 1),
    }),
  );
}

/** Shows the progress of the past, until all of it is delivered. */
export async function showBacklog(
  demo: Demo,
  progress: UnitsProgress,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  let printedTenths = -1;
  for (;;) {
    const backlog = summarise(progress.units(demo.state), Date.now());
    if (backlog.delivered) {
      const crossings = backlog.acknowledged.toLocaleString('en');
      return screen.done(`the past has been delivered: ${crossings} crossings`, startedAt);
    }
    const tenths = Math.floor(backlog.part * 10);
    if (screen.interactive) screen.redraw(backlogLine(backlog));
    else if (tenths > printedTenths) screen.line(backlogLine(backlog));
    printedTenths = tenths;
    await delay(redrawEvery, undefined, { signal });
  }
}

/** Shows the stores' occupancy until it is stopped. */
export async function showStores(demo: Demo, screen: Screen, signal: AbortSignal): Promise<void> {
  const timeZones = new Map(demoStores.map(({ name, timeZone }) => [name, timeZone]));
  const pause = screen.interactive ? redrawEvery : printEvery;
  while (!signal.aborted) {
    const stores = await storesNow(demo, signal);
    if (signal.aborted) return;
    const table = stores
      ? liveTable(stores, timeZones, Date.now())
      : 'The api does not answer; trying again.';
    if (screen.interactive) screen.redraw(table);
    else screen.line(table);
    await delay(pause, undefined, { signal });
  }
}

/** Undefined while the api does not respond: its supervisor restarts it. */
async function storesNow({ addresses, state }: Demo, signal: AbortSignal): Promise<StoreNow[] | undefined> {
  try {
    return await occupancyNow(addresses.serviceUrl, demoCompany, state.token, signal);
  } catch {
    return undefined;
  }
}
