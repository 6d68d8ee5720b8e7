import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('../../packages/dashboard/src/style/tokens.css', import.meta.url), 'utf8');

const [light = '', dark = ''] = css.split('@media screen and (prefers-color-scheme: dark)');
const surfaces = ['background', 'surface', 'raised', 'sunken'];

describe.each([
  ['light', tokensOf(light)],
  ['dark', new Map([...tokensOf(light), ...tokensOf(dark)])],
])('in the %s scheme', (_, tokens) => {
  const ratio = (a: string, b: string) => contrast(tokens.get(a) ?? '', tokens.get(b) ?? '');

  test.each(surfaces)('all text is legible on the surface %s (WCAG AA, 4.5)', (surface) => {
    for (const words of ['text', 'quiet', 'faint', 'accent', 'bad', 'warn', 'good', 'occupancy']) {
      expect(ratio(words, surface), words).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('messages are legible on their own surfaces, and buttons on theirs', () => {
    for (const tone of ['good', 'warn', 'bad', 'accent', 'occupancy']) {
      expect(ratio(tone, `${tone}-surface`), tone).toBeGreaterThanOrEqual(4.5);
      expect(ratio('text', `${tone}-surface`), tone).toBeGreaterThanOrEqual(4.5);
    }
    expect(ratio('on-accent', 'accent')).toBeGreaterThanOrEqual(4.5);
    expect(ratio('on-accent', 'accent-hover')).toBeGreaterThanOrEqual(4.5);
  });

  test('bars, lines and the borders of fields stand out from the surface (WCAG AA, 3)', () => {
    for (const drawn of ['visitors', 'occupancy', 'mark', 'line-strong', 'out']) {
      expect(ratio(drawn, 'surface'), drawn).toBeGreaterThanOrEqual(3);
    }
  });
});

function tokensOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', colour = '']) => [name, colour]),
  );
}

/** The contrast ratio of WCAG 2. */
function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
