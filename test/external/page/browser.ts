import axe from 'axe-core';
import { type Browser, chromium, firefox, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

type BrowserName = 'chromium' | 'firefox';

/** The browser in which the page is tested, as Debian has it. */
export const browserNames: readonly BrowserName[] = [
  process.env['BROWSER'] === 'firefox' ? 'firefox' : 'chromium',
];

/** How long a busy machine may take for one action of a page, if a test does not say more (ms). */
const patience = 100_000;

type Scheme = 'light' | 'dark';

/** How a page is shown; times of the page must not depend on `timeZone`, which is that of the browser. */
export interface Looks {
  readonly colorScheme?: Scheme;
  readonly timeZone?: string;
  readonly locale?: string;
  readonly width?: number;
  readonly height?: number;
  readonly hasTouch?: boolean;
}

/** A real browser for the tests of a file; the returned function opens a page in it. */
export function browserForTests(name: BrowserName = 'chromium') {
  /* Firefox has its colours from its settings. */
  const running = new Map<Scheme, Promise<Browser>>();
  const browserFor = (scheme: Scheme) => {
    const key = name === 'firefox' ? scheme : 'light';
    const browser = running.get(key) ?? launch(name, scheme);
    running.set(key, browser);
    return browser;
  };
  afterAll(async () => {
    for (const browser of running.values()) await (await browser).close();
  });
  return async (url: string, looks: Looks = {}): Promise<Page> => {
    const { colorScheme = 'light', timeZone, locale = 'en-GB', width = 1440, height = 900 } = looks;
    const browser = await browserFor(colorScheme);
    const context = await browser.newContext({
      ...(name === 'chromium' && { colorScheme, reducedMotion: 'reduce', hasTouch: looks.hasTouch ?? false }),
      ...(timeZone !== undefined && { timezoneId: timeZone }),
      locale,
      viewport: { width, height },
    });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
}

/**
 * The protocol that Debian's Firefox understands is WebDriver BiDi, which playwright-core calls the channel `moz-firefox`.
 * It has no command for colours and motion yet, so both are settings of the browser. From 1.65 on, playwright-core sends that
 * command for every context, so an earlier version is pinned until Debian's Firefox knows it.
 */
function launch(name: BrowserName, scheme: Scheme): Promise<Browser> {
  if (name === 'chromium') {
    return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  }
  const firefoxUserPrefs = {
    'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
    'ui.prefersReducedMotion': 1,
  };
  const executablePath = '/usr/bin/firefox-esr';
  return firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs });
}

/**
 * The violations that axe finds on a page: rule and element. The page's content policy allows no other way to
 * run it.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const shown = `({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')`;
  return textsFrom(page, `${axe.source}; axe.run().then(({ violations }) => violations.map(${shown}))`);
}

/** The list of texts that a script returns in the page. */
async function textsFrom(page: Page, script: string): Promise<string[]> {
  const found = await page.evaluate(script);
  if (!Array.isArray(found)) throw new Error('the page did not answer');
  return found.map(String);
}

/** The elements that reach beyond the screen or scroll sideways, as selectors. */
export async function overflowing(page: Page): Promise<string[]> {
  return textsFrom(
    page,
    `(() => {
    const width = document.documentElement.clientWidth;
    const beyond = document.documentElement.scrollWidth > width ? ['html'] : [];
    const isScrolled = (e) => e !== null && e !== document.body &&
      (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX) || isScrolled(e.parentElement));
    for (const e of document.body.querySelectorAll('*')) {
      if (!e.checkVisibility()) continue;
      const box = e.getBoundingClientRect();
      if (box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1) && box.right > 0 && !isScrolled(e.parentElement))
        beyond.push(e.tagName.toLowerCase() + '.' + e.getAttribute('class') + ' ' + Math.round(box.left) + '..' + Math.round(box.right));
    }
    return beyond;
  })()`,
  );
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Staff credential').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Pairs of visible elements of one parent that overlap, by their texts. */
export async function overlapping(page: Page, selector: string): Promise<string[]> {
  return textsFrom(
    page,
    `(() => {
    const boxes = [...document.querySelectorAll(${JSON.stringify(selector)})]
      .map((e) => ({ e, box: e.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const overlap = (a, b) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap((one, index) => boxes.slice(index + 1)
      .filter((other) => other.e.parentElement === one.e.parentElement && overlap(one.box, other.box))
      .map((other) => one.e.textContent + ' / ' + other.e.textContent));
  })()`,
  );
}

/** The parts of the wall that do not fit into their tiles or on the screen. */
export async function clipped(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('.tile > *, .wall-footer > *, .wall-footer .controls > *')]
    .filter((e) => {
      const { right, bottom } = e.getBoundingClientRect();
      return e.scrollWidth > e.clientWidth + 1 || right > innerWidth || bottom > e.parentElement.getBoundingClientRect().bottom + 1;
    })
    .map((e) => e.className + ' ' + e.textContent)`);
}
