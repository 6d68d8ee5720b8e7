import type { CDPSession, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { staffToken } from './served-page.ts';
import { storesForTests } from './served-stores.ts';
import { withinAMinute } from './within-a-minute.ts';

const open = browserForTests();
const served = storesForTests(5);

/** The pages that are opened first, and where their numbers are. */
const addresses = { '#/': '[data-row] .visitors b', '#/stores/S-0001': '[data-store="S-0001"] .number' };

/** The allowed rounds of requests before the page has numbers: for the page, its script, and the numbers. */
const allowedRounds = 3;

/** The largest allowed size of all that is loaded before the numbers are there, and of the whole page, compressed (bytes). */
const allowedBytes = { beforeNumbers: 60_000, inAll: 150_000 };

test('shows its numbers after three rounds of requests and 60 kB', async () => {
  const { page, phone } = await signedIn();
  for (const [address, selector] of Object.entries(addresses)) {
    await leave(page, phone);
    const beforeNumbers = weigh(phone);
    expect(await roundsUntilShown(page, address, selector), address).toBeLessThanOrEqual(allowedRounds);
    expect(beforeNumbers(), address).toBeGreaterThan(10_000);
    expect(beforeNumbers(), address).toBeLessThan(allowedBytes.beforeNumbers);
  }
});

/** A slow mobile network (bytes/s). */
const slowNetwork = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };

test('requests the numbers of a store once when it is opened again', async () => {
  const { page, phone } = await signedIn();
  const address = `${served().pageUrl}#/stores/S-0001`;
  const shown = () => page.locator('[data-kept="false"] .visitors-card .chart').waitFor();
  await page.goto(address);
  await shown();
  await expect.poll(() => page.evaluate("localStorage.getItem('kept store')")).not.toBe(null);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await phone.send('Network.emulateNetworkConditions', { offline: false, ...slowNetwork });
  await withinAMinute(async () => {
    await page.goto('about:blank');
    requests.length = 0;
    await page.goto(address);
    await shown();
    /* After its answer, everything that was requested before is known here. */
    await page.evaluate("fetch('/v1/session').then(() => undefined)");
  });
  for (const path of ['/v1/visitors/doors', '/v1/counts']) {
    expect(requests.filter((one) => one === path)).toHaveLength(1);
  }
});

test('is smaller than 150 kB in all', async () => {
  const { page, phone } = await signedIn();
  const weight = weigh(phone);
  for (const [address, selector] of Object.entries(addresses)) {
    await leave(page, phone);
    await page.goto(`${served().pageUrl}${address}`);
    await page.locator(selector).first().waitFor();
    await page.locator('[data-kept="false"] :is(.store-row, .visitors-card)').first().waitFor();
  }
  expect(weight()).toBeLessThan(allowedBytes.inAll);
});

/** The page on a phone, signed in, and the browser's tools for developers. */
async function signedIn(): Promise<{ page: Page; phone: CDPSession }> {
  const page = await open('about:blank', { width: 390, height: 844 });
  const phone = await page.context().newCDPSession(page);
  await phone.send('Network.enable');
  await page.goto(served().pageUrl);
  await signIn(page, staffToken);
  await page.locator(addresses['#/']).first().waitFor();
  return { page, phone };
}

/** Leaves the page, with nothing of it kept in the browser but the session. */
async function leave(page: Page, phone: CDPSession): Promise<void> {
  await page.unrouteAll();
  await page.goto('about:blank');
  const { origin } = new URL(served().pageUrl);
  await phone.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
}

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

/**
 * Opens a page and counts the rounds of requests until an element is visible. The requests of a round are held back until the
 * page has done everything that it can do without their answers; only then all of them are sent.
 */
async function roundsUntilShown(page: Page, address: string, selector: string): Promise<number> {
  const held: Route[] = [];
  await page.route('**', (route) => void held.push(route));
  const opened = page.goto(`${served().pageUrl}${address}`, { waitUntil: 'commit' });
  await expect.poll(() => held).toHaveLength(1);
  const shown = page.locator(selector).first();
  for (let rounds = 1; ; rounds += 1) {
    await Promise.all(held.splice(0).map(answered));
    await opened;
    await expect.poll(async () => (await shown.isVisible()) || held.length > 0).toBe(true);
    await untilQuiet(page, held);
    if (await shown.isVisible()) return rounds;
  }
}

/** Resolves when the page was idle many times without another request, which takes longer where the page is slower. */
async function untilQuiet(page: Page, held: readonly Route[]): Promise<void> {
  const untilIdle =
    'new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 20), { timeout: 100 }))';
  for (let idle = 0; idle < 20; idle += 1) {
    const before = held.length;
    await page.evaluate(untilIdle);
    if (held.length > before) idle = 0;
  }
}

/** Sends a request that was held back, and waits for its answer; for the beginning of the answer if it is a stream. */
async function answered(route: Route): Promise<void> {
  await route.continue();
  const response = await route.request().response();
  if (!route.request().url().endsWith('/v1/live')) await response?.finished();
}
