import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

type Scheme = 'light' | 'dark';

/** A real browser for the tests of a file; the returned function opens a page in it. */
export function browserForTests(): (url: string, colorScheme?: Scheme) => Promise<Page> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return async (url, colorScheme = 'light') => {
    const context = await browser?.newContext({ colorScheme, reducedMotion: 'reduce' });
    if (context === undefined) throw new Error('to be called in a test');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
}

/**
 * The violations that axe finds on a page: rule and element. The page's content policy allows no other way to
 * run it.
 */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const found = await page.evaluate(`${axe.source}; axe.run()`);
  return violationsIn(found).map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

function violationsIn(result: unknown): axe.Result[] {
  if (
    typeof result === 'object' &&
    result !== null &&
    'violations' in result &&
    Array.isArray(result.violations)
  ) {
    return result.violations;
  }
  throw new Error('axe did not answer');
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Staff credential').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
