import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, signIn } from './browser.ts';
import { type Crossing, historyForTests, zoneOfNoon } from './served-history.ts';
import { staffToken } from './served-page.ts';

const now = Date.now();
const minute = 60_000;
const day = 86_400_000;
const timeZone = zoneOfNoon(now);
/** The present hour, which is that after noon in the stores. */
const noon = now - (now % (60 * minute));

/** People through the door from nine to eleven o'clock, some days back: those who leave first, if `exitsFirst`. */
function people(back: number, came: number, left: number, exitsFirst = false): Crossing[] {
  const passages = (count: number, from: number, direction: 1 | -1) =>
    Array.from({ length: count }, (_, n): Crossing => {
      const at = noon - back * day - (3 - from) * 60 * minute + Math.floor((n * 55 * minute) / count);
      return { at, direction };
    });
  return [...passages(came, exitsFirst ? 1 : 0, 1), ...passages(left, exitsFirst ? 0 : 1, -1)].sort(
    (a, b) => a.at - b.at,
  );
}

const store = (sid: string, name: string, ...crossings: Crossing[][]) => ({
  ...{ sid, name, timeZone },
  crossings: crossings.flat(),
});
const { served } = historyForTests([
  store('S-1', 'Closed Hall', people(1, 500, 500), people(0, 1_060, 1_000)),
  store('S-2', 'More Out', people(0, 1_000, 1_066, true)),
  store('S-3', 'Even', people(7, 80, 80), people(1, 500, 500), people(0, 90, 10)),
  store('S-4', 'Silent', people(7, 80, 80), people(0, 40, 10)),
]);

const trust = (page: Page) => page.getByRole('region', { name: 'Can the numbers be trusted?' });

describe.each(browserNames)('in %s', (browser) => {
  const open = browserForTests(browser);
  const openAt = async (address: string, width = 1440) => {
    const page = await open(`${served().pageUrl}#/${address}`, { width });
    await signIn(page, staffToken);
    return page;
  };

  test('shows no tick over people inside after closing, and how wrong the visitors may be', async () => {
    const hours = Object.fromEntries(
      'monday tuesday wednesday thursday friday saturday sunday'
        .split(' ')
        .map((one) => [one, ['08:00-11:30']]),
    );
    await served().rows.query(`update store set opening_hours = $1 where sid = 'S-1'`, [
      JSON.stringify({ week: hours, exceptions: [] }),
    ]);
    const page = await openAt('stores/S-1');
    await trust(page)
      .getByText('6% more came in than went out, so visitors may be about 2.8% too high')
      .waitFor();
    await trust(page).getByText('The numbers may be wrong').waitFor();
    expect(await page.locator('.health.accurate').count()).toBe(0);
    await expect.poll(() => page.locator('.figures [data-store] .number').textContent()).toBe('60');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.goto(`${served().pageUrl}#/stores/S-1?range=yesterday`);
    await trust(page).locator('.health.accurate').getByText('The numbers can be trusted').waitFor();
    await trust(page).getByText('In and out match').waitFor();
    await trust(page).getByText('Everything that was counted in this time has arrived').waitFor();
  });

  test('says that more went out than came in, and the one cause why the page shows other people inside', async () => {
    const page = await openAt('stores/S-2');
    await trust(page)
      .getByText('66 more went out than came in, so visitors may be about 3.3% too low')
      .waitFor();
    const doors = page.getByRole('region', { name: 'Doors' });
    const sentence = '1,000 came in and 1,066 went out, but 1,000 are inside because';
    await doors.getByText(`${sentence} the number never falls below zero.`).waitFor();
    await page.getByRole('button', { name: 'Set the number' }).click();
    await page.getByRole('spinbutton', { name: 'People inside' }).fill('1000');
    await page.getByLabel('Your name').fill('Kim');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await doors.getByText(`${sentence} \u2068Kim\u2069 set the number.`).waitFor();
    expect(await doors.getByText('below zero').count()).toBe(0);
  });
});
