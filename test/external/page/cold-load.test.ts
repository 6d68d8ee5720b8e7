import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { staffToken } from './served-page.ts';
import { storesForTests } from './served-stores.ts';

const open = browserForTests();
const served = storesForTests(5);

/** A mid-range phone: four times slower. */
const processorSlowedBy = 4;

/** Both have been called slow 3G: that of the developer tools of browsers, and that of throttled measurements (bytes/s). */
const networks = {
  '400 kbit/s, 400 ms': { latency: 400, downloadThroughput: 400e3 / 8, uploadThroughput: 400e3 / 8 },
  '1.6 Mbit/s, 150 ms': { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 },
};

/** The largest allowed size of everything that the page loads, compressed (bytes). */
const allowed = 150_000;

/** When the numbers must be there (ms). */
const soon = 3_000;

test('is smaller than 150 kB in all, and shows its numbers on a slow phone within 3 seconds', async () => {
  const { pageUrl } = served();
  const page = await open('about:blank', { width: 390, height: 844 });
  const phone = await page.context().newCDPSession(page);
  const weight = weigh(phone);
  await phone.send('Network.enable');
  await page.goto(pageUrl);
  await signIn(page, staffToken);
  const addresses = { '#/': '[data-row] .visitors b', '#/stores/S-0001': '[data-store="S-0001"] .number' };
  await page.locator(addresses['#/']).first().waitFor();
  expect(weight()).toBeGreaterThan(10_000);

  await phone.send('Emulation.setCPUThrottlingRate', { rate: processorSlowedBy });
  const took: Record<string, number> = {};
  for (const [name, network] of Object.entries(networks)) {
    await phone.send('Network.emulateNetworkConditions', { offline: false, ...network });
    for (const [address, selector] of Object.entries(addresses)) {
      for (const isFirst of [true, false]) {
        await phone.send('Network.setCacheDisabled', { cacheDisabled: isFirst });
        /* The better of two, because other programs use the machine. */
        const times: number[] = [];
        for (let n = 0; n < 2; n += 1) {
          if (isFirst) await page.evaluate('localStorage.clear()');
          times.push(await timed(page, `${pageUrl}${address}`, selector));
        }
        took[`${name}, ${address}, ${isFirst ? 'first' : 'next'} visit`] = Math.min(...times);
      }
    }
  }
  console.log(`${Math.round(weight() / 1_000)} kB`, took);
  expect(weight()).toBeLessThan(allowed);
  for (const [how, ms] of Object.entries(took)) expect(ms, how).toBeLessThan(soon);
});

/** Counts the bytes of each file and answer received over the network, once each, headers included. */
function weigh(phone: CDPSession): () => number {
  const urls = new Map<string, string>();
  const bytes = new Map<string, number>();
  phone.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  phone.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId) ?? '';
    bytes.set(url, Math.max(bytes.get(url) ?? 0, encodedDataLength));
  });
  return () => [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

/** The time from the navigation until the element appears, on the page's own clock (ms). */
async function timed(page: Page, url: string, selector: string): Promise<number> {
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(selector).first().waitFor();
  return Math.round(Number(await page.evaluate('performance.now()')));
}
