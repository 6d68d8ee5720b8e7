import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { closedStore, companyForTests, mainStore, timeZone } from './served-company.ts';
import { staffToken } from './served-page.ts';

/* Takes the pictures of the documentation: PICTURES=true npx pnpm test:external test/external/page/pictures */

const folder =
  process.env['PICTURES_IN'] ?? fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const patience = { timeout: 100_000 };

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly width: number;
  readonly height: number;
  readonly isDark?: boolean;
  /** Shows what the picture is about. */
  readonly prepare: (page: Page) => Promise<void>;
}

const seen = (selector: string) => (page: Page) => page.locator(selector).first().waitFor(patience);

const pictures: readonly Picture[] = [
  { name: 'page-stores', address: '', width: 1280, height: 960, prepare: seen('[data-total] .change') },
  { name: 'page-stores-phone', address: '', width: 390, height: 844, prepare: seen('[data-total] .change') },
  { name: 'page-store', address: `#/stores/${mainStore}`, width: 1200, height: 1280, prepare: pointAtBar },
  {
    name: 'page-store-weeks',
    address: `#/stores/${mainStore}?range=4w&compare=previous`,
    width: 1200,
    height: 900,
    prepare: seen('.visitors-card svg'),
  },
  {
    name: 'page-phone-dark',
    address: `#/stores/${mainStore}`,
    width: 390,
    height: 844,
    isDark: true,
    prepare: seen('.visitors-card svg'),
  },
  { name: 'page-devices', address: '#/devices', width: 1280, height: 720, prepare: seen('.door-row') },
  { name: 'page-audit', address: '#/audit/CU-011', width: 390, height: 844, prepare: tap },
  { name: 'page-reports', address: '#/reports', width: 1280, height: 860, prepare: seen('main .card') },
  {
    name: 'page-settings',
    address: `#/settings/${mainStore}`,
    width: 1280,
    height: 1000,
    prepare: seen('.days'),
  },
  { name: 'page-wall', address: '#/wall', width: 1280, height: 720, prepare: hiddenControls },
  {
    name: 'page-wall-one',
    address: `#/wall/${mainStore}`,
    width: 1280,
    height: 720,
    prepare: hiddenControls,
  },
  {
    name: 'page-wall-closed',
    address: `#/wall/${closedStore}`,
    width: 1280,
    height: 720,
    prepare: hiddenControls,
  },
];

async function pointAtBar(page: Page): Promise<void> {
  const chart = page.locator('.visitors-card .chart');
  await chart.locator('svg').first().waitFor(patience);
  await page.locator('.heatmap').waitFor(patience);
  const box = await chart.boundingBox();
  if (box === null) throw new Error('no chart');
  await chart.hover({ position: { x: 36 + (box.width - 36) * 0.41, y: 120 } });
  await chart.locator('.tip').waitFor();
}

async function tap(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Begin' }).click(patience);
  for (const way of ['In', 'In', 'Out', 'In', 'Out', 'In', 'In'])
    await page.getByRole('button', { name: new RegExp(`^${way}`) }).click();
}

async function hiddenControls(page: Page): Promise<void> {
  await page.locator('[data-tile]').first().waitFor(patience);
  await page.locator('.wall.idle').waitFor(patience);
}

if (process.env['PICTURES'] !== undefined) takePictures();
else test.skip('takes the pictures of the documentation', () => {});

function takePictures(): void {
  const served = companyForTests();
  const open = browserForTests();
  const take = (page: Page, name: string) =>
    page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });

  test('takes page-sign-in', async () => {
    const page = await open(served().pageUrl, { width: 1280, height: 640 });
    await page.getByLabel('Staff credential').waitFor();
    await take(page, 'page-sign-in');
  });

  test.each(pictures)('takes $name', async ({ name, address, width, height, isDark, prepare }) => {
    const { pageUrl } = served();
    const page = await open(`${pageUrl}${address}`, {
      width,
      height,
      timeZone,
      colorScheme: isDark === true ? 'dark' : 'light',
    });
    await signIn(page, staffToken);
    await page.mouse.move(0, 0);
    await prepare(page);
    await page.waitForTimeout(500);
    await take(page, name);
  });
}
