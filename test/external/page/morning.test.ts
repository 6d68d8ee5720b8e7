import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { type Crossing, historyForTests, type SeededHistory } from './served-history.ts';
import { staffToken } from './served-page.ts';

const patience = { timeout: 100_000 };
const day = 86_400_000;
const now = Date.now();

/** Visitors of the weekday of yesterday, the latest first; the last one began to count on another day before. */
const usual = [150, 130, 170, 140, 160, 120, 155, 145];
const east = history('S-1', 'Kiritimati', 'Pacific/Kiritimati', [165, ...usual, 5]);
const west = history('S-2', 'Pago Pago', 'Pacific/Pago_Pago', [210, ...usual, 5]);
const { served } = historyForTests([east, west]);

/**
 * Clocks of the two stores are 25 hours apart, so the last day that is over in both is the yesterday of the western one; the
 * eastern one has as many people on its own yesterday. Each tenth person is not counted going out.
 */
function history(sid: string, name: string, timeZone: string, counts: readonly number[]): SeededHistory {
  const hours = timeZone === 'Pacific/Kiritimati' ? 14 : -11;
  const yesterday = Date.parse(`${dateIn('Pacific/Pago_Pago', now - day)}T09:00Z`) - hours * 3_600_000;
  const own = Date.parse(dateIn(timeZone, now)) - Date.parse(dateIn('Pacific/Pago_Pago', now));
  const ahead = own === 0 ? [0] : [0, own / day];
  const crossings = ahead.flatMap((more) =>
    counts.flatMap((people, weeks) =>
      Array.from({ length: people }, (_, n): Crossing[] => {
        const at = yesterday + (more - 7 * weeks) * day + n * 60_000;
        return [{ at, direction: 1 }, ...(n % 10 === 9 ? [] : [{ at: at + 30_000, direction: -1 as const }])];
      }).flat(),
    ),
  );
  return {
    sid,
    name,
    timeZone,
    crossings: crossings.filter(({ at }) => at < now).sort((a, b) => a.at - b.at),
  };
}

function dateIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

const sentence = (page: Page) => page.locator('.morning').textContent(patience);
const yesterdayIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long' }).format(now - day);

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  test('begins with the last full day, what is normal, the store that differs, and the error, as counted by hand', async () => {
    const page = await open(served().pageUrl, { timeZone: 'Asia/Tokyo' });
    await signIn(page, staffToken);
    const all = await sentence(page);
    const weekday = yesterdayIn('Pacific/Pago_Pago');
    expect(all).toMatch(/^375 visitors came to 2 stores on /);
    expect(all).toContain(`, which is more than normal for a ${weekday} (240 to 340).`);
    expect(all).toContain('Pago Pago\u2069 differs most: 210 instead of 120 to 170. All doors are complete.');
    expect(all).toContain('The number may be about 5% wrong.');

    await page.goto(`${served().pageUrl}#/stores/S-1`);
    await page.getByRole('heading', { name: 'Kiritimati', level: 1 }).waitFor(patience);
    await page
      .locator('.morning')
      .getByText(/^165 visitors came on /)
      .waitFor(patience);
    const own = await sentence(page);
    expect(own).toContain(`, which is normal for a ${yesterdayIn('Pacific/Kiritimati')} (120 to 170).`);

    await page.goto(`${served().pageUrl}#/stores/S-1?range=4w`);
    await page.getByText('Best day').waitFor(patience);
    expect(await page.locator('.morning').count()).toBe(0);
  });

  test('says nothing while a door is incomplete', async () => {
    await served().rows.query(`update device_state set heartbeat_at = now() - interval '3 days'`);
    const page = await open(`${served().pageUrl}#/stores/S-2?range=yesterday`);
    await signIn(page, staffToken);
    await page.locator('.figures .number').first().getByText('210').waitFor(patience);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('.morning').count()).toBe(0);
    await served().rows.query('update device_state set heartbeat_at = now()');
  });
});
