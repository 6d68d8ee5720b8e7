import { readFile } from 'node:fs/promises';
import { alertKinds, kindFacts } from '@visitor-counter/database/alerts/alert-kinds';
import { expect, test } from 'vitest';

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsOf(text: string): number {
  return text === 'immediately' ? 0 : Number.parseInt(text, 10) * (seconds[text.at(-1) ?? ''] ?? Number.NaN);
}

test('the documentation has each kind of alert with its usual time', async () => {
  const page = await readFile(new URL('../../../../docs/operators/alerts.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `([a-z-]+)` \| .* \| (\S+) \|$/gm);
  const documented = Object.fromEntries([...rows].map(([, kind, after = '']) => [kind, secondsOf(after)]));
  expect(documented).toEqual(Object.fromEntries(alertKinds.map((kind) => [kind, kindFacts[kind].after])));
});
