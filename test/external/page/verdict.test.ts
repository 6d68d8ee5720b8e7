import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, overflowing, signIn } from './browser.ts';
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
  const idOf = async (sid: string) => {
    const [row] = await served().rows.query(
      `select store.id as store, device_id as device from store join device_assignment on store_id = store.id where sid = $1`,
      [sid],
    );
    return [row?.['store'], row?.['device']];
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

  test('makes no judgement of a few people, and doubts a store in which a check found a clear error', async () => {
    const [storeId, deviceId] = await idOf('S-3');
    const check = async (key: string, observed: number, counted: number, low: number, high: number) => {
      const seen = Array.from({ length: observed }, (_, n) => [now - 1_000 * (observed - n), 1]);
      const nobody = { observed: 0, counted: 0, missed: 0, extra: 0, error: null, interval: null };
      const missed = { missed: observed - counted, extra: 0, error: counted / observed - 1 };
      await served().rows.query(
        `insert into accuracy_audit
           (device_id, store_id, key, first_at, last_at, passages, entered_by, state, lag, entries, exits)
         values ($1, $2, $3, now() - interval '1 hour', now(), $4, 'Kim', 'computed', 0, $5, $6)`,
        [
          ...[deviceId, storeId, key, JSON.stringify(seen)],
          JSON.stringify({ observed, counted, ...missed, interval: { low, high } }),
          JSON.stringify(nobody),
        ],
      );
    };
    await check('few', 17, 3, -1, 0.33);
    const page = await openAt('stores/S-3?range=yesterday');
    await trust(page).getByText('too few people to judge (17 of at least 100)').waitFor();
    await trust(page).locator('.health.accurate').waitFor();
    expect(await trust(page).textContent()).not.toMatch(/[−-]\d+%/);
    await page.goto(`${served().pageUrl}#/audit/CU-S-3`);
    const earlier = page.getByRole('region', { name: 'Earlier checks' });
    await earlier.getByText('In: 17 seen, 3 counted').waitFor();
    expect(await earlier.textContent()).not.toContain('%');

    await check('many', 200, 160, -0.26, -0.14);
    await page.goto(`${served().pageUrl}#/stores/S-3?range=yesterday`);
    await page.reload();
    await trust(page).getByText('In -20% (-26% to -14%)').waitFor();
    await trust(page).locator('.health.doubtful').waitFor();
  });

  test('shows the change of incomplete numbers in grey, marks the door that is offline, and alerts by severity', async () => {
    const { rows, pageUrl } = served();
    const [silent] = await idOf('S-4');
    const [even] = await idOf('S-3');
    await rows.query(
      `update device_state set online = false, online_changed_at = now() - interval '1 hour'
       from device_assignment where device_assignment.device_id = device_state.device_id and store_id = $1`,
      [silent],
    );
    await rows.query(
      `insert into alert (company_id, kind, subject, store_id, about, began_at, raised_at)
       select company_id, 'visitors-while-closed', 'it', id, '{}', now(), now() from store where id = $1`,
      [even],
    );
    const page = await openAt('', 1440);
    const row = (sid: string) => page.locator(`[data-row="${sid}"]`);
    await row('S-4').getByText('is offline').waitFor();
    await row('S-3').getByText('People came in while the store was closed').waitFor();
    const colourOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    const [bad, quiet] = [
      await colourOf('[data-row="S-4"] .trouble'),
      await colourOf('[data-row="S-3"] .trouble'),
    ];
    expect(quiet).not.toBe(bad);
    expect(
      await page
        .locator('.trouble-rows [data-row]')
        .evaluateAll((all) => all.map((one) => one.dataset['row'])),
    ).toEqual(['S-4']);
    const change = row('S-4').locator('.change');
    const rank = await colourOf('[data-row="S-4"] .rank');
    expect(await colourOf('[data-row="S-4"] .change')).toBe(rank);
    expect(await change.getAttribute('class')).toBe('change unsure');
    expect(await change.textContent()).toContain('A counter has not delivered everything yet');
    expect(await row('S-3').locator('.change').getAttribute('class')).toBe('change up');
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.goto(`${pageUrl}#/stores/S-4`);
    const door = page.getByRole('region', { name: 'Doors' }).getByRole('row', { name: /Front/ });
    await door.getByText('The counter at \u2068Front\u2069 is offline').waitFor();
    await expect.poll(() => page.locator('.change.up, .change.down').count()).toBe(0);
    expect(await page.locator('.change.unsure').count()).toBeGreaterThan(1);
    await trust(page).getByText('A counter does not work').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => overflowing(page), { message: String(width) }).toEqual([]);
    }
  });
});
