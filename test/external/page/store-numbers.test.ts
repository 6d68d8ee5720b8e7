import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { type Crossing, historyForTests, zoneOfNoon } from './served-history.ts';
import { staffToken } from './served-page.ts';

const minute = 60_000;
const day = 86_400_000;
const now = Date.now();
const noon = { sid: 'S-1', name: 'Noon Street', timeZone: zoneOfNoon(now), crossings: peopleOfToday() };
const berlin = { sid: 'S-2', name: 'Alexanderplatz', timeZone: 'Europe/Berlin', crossings: peopleOfAutumn() };
const { served, deliverLate } = historyForTests([noon, berlin]);

/** From eight o'clock on, people of today and of a week ago; a week ago some more in the present hour, after this minute. */
function peopleOfToday(): Crossing[] {
  const hourStart = now - (now % (60 * minute));
  const people = [0, 7 * day].flatMap((back) =>
    [-4, -3, -2, -1].flatMap((hour) =>
      Array.from({ length: 9 + hour + back / day }, (_, n): Crossing => {
        const at = hourStart - back + hour * 60 * minute + n * 3 * minute;
        return { at, direction: n % 4 === 0 ? -1 : 1 };
      }),
    ),
  );
  const later = [10, 20, 30].map((m): Crossing => ({ at: now - 7 * day + m * minute, direction: 1 }));
  return [...people, ...later].sort((a, b) => a.at - b.at);
}

/** Three weeks around the night in which the clocks of Berlin went back, at all hours, and the months before. */
function peopleOfAutumn(): Crossing[] {
  let state = 42;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const between = (from: string, to: string, count: number) =>
    Array.from({ length: count }, (): Crossing => {
      const at = Math.floor(Date.parse(from) + random() * (Date.parse(to) - Date.parse(from)));
      return { at, direction: random() < 0.6 ? 1 : -1 };
    });
  return [
    ...between('2026-10-18T22:00:00Z', '2026-11-09T23:00:00Z', 900),
    ...between('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 400),
    ...between('2025-08-31T22:00:00Z', '2026-10-18T22:00:00Z', 800),
  ].sort((a, b) => a.at - b.at);
}

/** Entries by a key of their local time, in the order of time. */
function entriesBy(crossings: readonly Crossing[], timeZone: string, keyOf: (local: string) => string) {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'long' });
  const counts = new Map<string, number>();
  for (const { at, direction } of crossings.toSorted((a, b) => a.at - b.at)) {
    const key = keyOf(clock.format(at));
    counts.set(key, (counts.get(key) ?? 0) + (direction === 1 ? 1 : 0));
  }
  return [...counts.values()];
}

const within = (from: string, to: string) =>
  berlin.crossings.filter(({ at }) => at >= Date.parse(from) && at < Date.parse(to));
const entries = (crossings: readonly Crossing[]) =>
  crossings.filter(({ direction }) => direction === 1).length;

/** The visitors of each row of the table below the chart. */
async function rowsOf(page: Page): Promise<number[]> {
  const cells = page.locator('.visitors-card details tbody tr td:nth-child(2)');
  await cells.first().waitFor({ state: 'attached' });
  return (await cells.allTextContents()).map((text) => Number(text.replaceAll(',', '')));
}

const monday = (local: string) => {
  const at = new Date(`${local.slice(0, 10)}T00:00Z`);
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * day).toISOString().slice(0, 10);
};

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);
  const openStore = async (address: string, timeZone = 'Asia/Tokyo') => {
    const page = await open(`${served().pageUrl}#/stores/${address}`, { timeZone });
    await signIn(page, staffToken);
    return page;
  };

  test.each([
    [
      'hour',
      '2026-10-25..2026-10-25',
      within('2026-10-24T22:00Z', '2026-10-25T23:00Z'),
      (t: string) => t.slice(0, 13) + t.slice(20),
    ],
    [
      'day',
      '2026-10-19..2026-11-09',
      within('2026-10-18T22:00Z', '2026-11-09T23:00Z'),
      (t: string) => t.slice(0, 10),
    ],
    ['week', '2026-07-01..2026-11-09', within('2026-06-30T22:00Z', '2026-11-09T23:00Z'), monday],
    [
      'month',
      '2025-09-01..2026-11-09',
      within('2025-08-31T22:00Z', '2026-11-09T23:00Z'),
      (t: string) => t.slice(0, 7),
    ],
  ])(
    'shows visitors by %s as plain counting finds them, over a change of the clocks',
    async (_, range, crossings, keyOf) => {
      const page = await openStore(`S-2?range=${range}`);
      const figure = page.locator('.figures .number').first();
      await figure.getByText(entries(crossings).toLocaleString('en'), { exact: true }).waitFor();
      expect(await rowsOf(page)).toEqual(entriesBy(crossings, 'Europe/Berlin', keyOf));
    },
  );

  test('compares today with a week ago up to this minute, and shows what comes late without reloading', async () => {
    const page = await openStore('S-1', 'America/Los_Angeles');
    const today = () => entries(noon.crossings.filter(({ at }) => at > now - day && at <= now));
    const before = entries(noon.crossings.filter(({ at }) => at > now - 8 * day && at <= now - 7 * day));
    const figures = page.locator('.figures');
    await figures.getByText(new RegExp(`^${today()}$`)).waitFor();
    const compared = await figures.getByText(/until/).textContent();
    expect(compared).toContain(` ${before} (`);
    const change = today() / before - 1;
    expect(compared).toContain(
      change.toLocaleString('en-GB', { style: 'percent', signDisplay: 'exceptZero' }).slice(0, 2),
    );
    /* The hour may have ended since this file began. */
    expect(compared).toMatch(/1[23]:\d\d/);
    const rows = await rowsOf(page);
    await page.evaluate('window.sameDocument = true');

    const at = now - (now % (60 * minute)) - 2 * 60 * minute + 40 * minute;
    await deliverLate('S-1', [
      { at, direction: 1 },
      { at: at + minute, direction: 1 },
    ]);

    await figures.getByText(new RegExp(`^${today()}$`)).waitFor();
    await expect.poll(() => rowsOf(page)).toEqual(rows.map((n, index) => (index === 2 ? n + 2 : n)));
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });
});
