import { recordedHalfHours } from '@visitor-counter/test/recording';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { type Crossing, historyForTests } from './served-history.ts';
import { staffToken } from './served-page.ts';

const patience = { timeout: 100_000 };
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** People of a half hour of the recording, moved by whole weeks, with the instant at which it began (epoch ms). */
interface HalfHour {
  readonly local: string;
  readonly at: number;
  readonly in: number;
  readonly out: number;
}

const zone = zoneOfClockChange();
const recorded = movedRecording();
const [first = '', last = ''] = [recorded[0]?.local.slice(0, 10), recorded.at(-1)?.local.slice(0, 10)];
/** Some half hours of the last weeks arrive while the page is open. */
const isLate = ({ local }: HalfHour, index: number) => index % 9 === 0 && local >= plusDays(last, -20);
const late = recorded.filter(isLate);
const punctual = recorded.filter((one, index) => !isLate(one, index));

const building = { sid: 'S-1', name: 'Main Door', timeZone: zone, crossings: peopleOf(punctual) };
const { served, deliverLate } = historyForTests([building]);
const open = browserForTests('chromium');

/** A zone whose clocks changed in the last fifteen weeks, if there is one. */
function zoneOfClockChange(): string {
  const zones = ['America/Los_Angeles', 'Europe/Berlin', 'Australia/Sydney', 'America/Santiago'];
  const offset = (timeZone: string, at: number) => Date.parse(`${localOf(at, timeZone)}Z`) - at;
  const now = Math.floor(Date.now() / minute) * minute;
  const hasChanged = (name: string) => offset(name, now - 90 * day) !== offset(name, now - 14 * day);
  return zones.find(hasChanged) ?? 'America/Los_Angeles';
}

/** The recording in its local time, ended on the last Saturday before today; without an hour that the clocks left out. */
function movedRecording(): HalfHour[] {
  const rows = recordedHalfHours();
  const end = rows.at(-1)?.local.slice(0, 10) ?? '';
  const today = localOf(Date.now(), zone).slice(0, 10);
  const days = 7 * Math.floor((Date.parse(today) - Date.parse(end) - day) / (7 * day));
  const moved = rows.map((row) => ({ ...row, local: plusDays(row.local, days) + row.local.slice(10) }));
  const instants = new Map<string, number>();
  const from = Date.parse(`${moved[0]?.local}Z`) - day;
  for (let at = from; at < Date.now(); at += 30 * minute) {
    const local = localOf(at, zone);
    if (!instants.has(local)) instants.set(local, at);
  }
  return moved.flatMap((row) => {
    const at = instants.get(row.local);
    return at === undefined ? [] : [{ ...row, at }];
  });
}

function peopleOf(rows: readonly HalfHour[]): Crossing[] {
  return rows.flatMap(({ at, in: came, out }) => {
    const spread = (count: number, direction: 1 | -1) =>
      Array.from({ length: count }, (_, n) => ({
        at: at + Math.floor((n * 30 * minute) / count),
        direction,
      }));
    return [...spread(came, 1), ...spread(out, -1)].sort((a, b) => a.at - b.at);
  });
}

/** Local time, `YYYY-MM-DDTHH:MM`. */
function localOf(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(at).replace(' ', 'T');
}

function plusDays(local: string, days: number): string {
  return new Date(Date.parse(`${local.slice(0, 10)}T00:00Z`) + days * day).toISOString().slice(0, 10);
}

type Row = readonly [visitors: number, out: number];

/** The entries and exits, by a key of the dates from `from` to `to`. */
function byDate(rows: readonly HalfHour[], from: string, to: string, keyOf: (date: string) => string): Row[] {
  const counts = new Map<string, [number, number]>();
  for (let date = from; date <= to; date = plusDays(date, 1)) counts.set(keyOf(date), [0, 0]);
  for (const { local, in: came, out } of rows) {
    const count = counts.get(keyOf(local.slice(0, 10)));
    if (count === undefined || local < from || local.slice(0, 10) > to) continue;
    count[0] += came;
    count[1] += out;
  }
  return withoutEmptyEnds([...counts.values()]);
}

/** The hours of a date, of which there are 23 or 25 where clocks change. */
function byHour(date: string): Row[] {
  const counts: [number, number][] = [];
  for (let at = Date.parse(`${date}T00:00Z`) - day; localOf(at, zone) < plusDays(date, 1); at += hour) {
    if (!localOf(at, zone).startsWith(date)) continue;
    const some = recorded.filter((row) => row.at >= at && row.at < at + hour);
    counts.push([sum(some, 'in'), sum(some, 'out')]);
  }
  return withoutEmptyEnds(counts);
}

function sum(rows: readonly HalfHour[], direction: 'in' | 'out'): number {
  return rows.reduce((total, row) => total + row[direction], 0);
}

function withoutEmptyEnds(rows: readonly Row[]): Row[] {
  const isBusy = ([visitors, out]: Row) => visitors + out > 0;
  return rows.slice(Math.max(0, rows.findIndex(isBusy)), rows.findLastIndex(isBusy) + 1);
}

/** A column of the table below the chart: 2 is visitors, 3 those of the compared period, 4 who went out. */
async function column(page: Page, position: 2 | 3 | 4): Promise<number[]> {
  const cells = page.locator(`.visitors-card details tbody tr :nth-child(${position})`);
  return (await cells.allTextContents()).map((text) => Number(text.replaceAll(',', '')));
}

const monday = (date: string) => plusDays(date, -((new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7));
const month = (date: string) => date.slice(0, 7);
const same = (date: string) => date;

test('shows the numbers of the recording as counted by hand, even when a part of it arrives late', async () => {
  const [from, to] = [plusDays(last, -27), last];
  const page = await open(`${served().pageUrl}#/stores/S-1?range=${from}..${to}`, { timeZone: 'Asia/Tokyo' });
  await signIn(page, staffToken);
  const shown = async () => {
    const [visitors, out] = [await column(page, 2), await column(page, 4)];
    return withoutEmptyEnds(visitors.map((came, index) => [came, out[index] ?? 0]));
  };
  await expect.poll(shown, patience).toEqual(byDate(punctual, from, to, same));
  await page.evaluate('window.sameDocument = true');

  await deliverLate('S-1', peopleOf(late));

  await expect.poll(shown, patience).toEqual(byDate(recorded, from, to, same));
  const before = byDate(recorded, plusDays(from, -28), plusDays(to, -28), same);
  expect(await column(page, 3)).toEqual(before.map(([visitors]) => visitors));
  const year = plusDays(first, -300);
  const busiest = recorded.toSorted((a, b) => b.in - a.in)[0]?.local.slice(0, 10) ?? '';
  for (const [range, expected] of [
    ...[busiest, ...clockChanges()].map((date) => [`${date}..${date}`, byHour(date)] as const),
    [`${first}..${last}`, byDate(recorded, first, last, monday)],
    [`${year}..${last}`, byDate(recorded, year, last, month)],
  ] as const) {
    await page.evaluate(`location.hash = '#/stores/S-1?range=${range}'`);
    await expect.poll(shown, patience).toEqual(expected);
    const total = expected.reduce((all, [visitors]) => all + visitors, 0).toLocaleString('en');
    await page.locator('.figures .number').first().getByText(total, { exact: true }).waitFor(patience);
  }
  expect(await page.evaluate('window.sameDocument')).toBe(true);
});

/** The dates of the recording on which the clocks changed. */
function clockChanges(): string[] {
  const offsets = new Map(
    recorded.map(({ local, at }) => [local.slice(0, 10), at - Date.parse(`${local}Z`)]),
  );
  const dates = [...offsets.keys()];
  return dates.filter((date, n) => n > 0 && offsets.get(date) !== offsets.get(dates[n - 1] ?? ''));
}
