import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

const open = browserForTests();

/** A mid-range phone: four times slower, with 1.6 Mbit/s down, 750 kbit/s up, and a round trip of 150 ms. */
const processorSlowedBy = 4;
const network = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };

/** The largest allowed size of the page, compressed (bytes). */
const allowed = 150_000;

test('is smaller than 150 kB, and prints how long a cold load takes on a slow phone', async () => {
  const { pageUrl } = await servedPage();
  const page = await open('about:blank');
  const phone = await page.context().newCDPSession(page);
  const weight = weigh(phone);
  await slowDown(phone);

  const signedOut = await timed(page, pageUrl, 'input[name="token"]');
  expect(weight()).toBeGreaterThan(10_000);
  expect(weight()).toBeLessThan(allowed);
  const bytes = weight();
  await signIn(page, staffToken);
  await page.locator('[data-store="S-1"] .number').waitFor();
  const overview = await timed(page, pageUrl, '[data-store="S-1"] .number');
  const store = await timed(page, `${pageUrl}#/stores/S-1`, '.chart svg');
  console.log(
    `cold load, processor ${processorSlowedBy}x slower, 1.6 Mbit/s, 150 ms: ${Math.round(bytes / 1_000)} kB; ` +
      `sign-in usable after ${signedOut} ms, all stores with their numbers after ${overview} ms, ` +
      `one store with its chart after ${store} ms`,
  );
});

async function slowDown(phone: CDPSession): Promise<void> {
  await phone.send('Network.enable');
  await phone.send('Network.setCacheDisabled', { cacheDisabled: true });
  await phone.send('Network.emulateNetworkConditions', network);
  await phone.send('Emulation.setCPUThrottlingRate', { rate: processorSlowedBy });
}

/** Counts the bytes received over the network, headers included. */
function weigh(phone: CDPSession): () => number {
  let bytes = 0;
  phone.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}

/**
 * The time from the navigation until the element appears, on the page's own clock (ms), with an empty cache.
 */
async function timed(page: Page, url: string, selector: string): Promise<number> {
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(selector).first().waitFor();
  return Math.round(Number(await page.evaluate('performance.now()')));
}
