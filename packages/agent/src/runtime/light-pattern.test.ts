import { expect, test } from 'vitest';
import { type DoorCondition, lightPatterns, lightState } from './status-light.ts';

const good: DoorCondition = {
  problem: undefined,
  holding: false,
  blocked: false,
  connected: true,
  settled: true,
};

test.each([
  ['counting', [good], false],
  ['fault', [good, { ...good, holding: true }], false],
  ['identify', [good], true],
  ['fault', [good, { ...good, problem: 'no chip', blocked: true, connected: false }], false],
  [
    'blocked',
    [
      { ...good, connected: false },
      { ...good, blocked: true },
    ],
    false,
  ],
  ['no-server', [good, { ...good, connected: false }], false],
  ['starting', [{ ...good, connected: false, settled: false }], false],
  ['starting', [{ ...good, problem: 'not read yet', settled: false }], false],
] as const)('shows the most urgent state of all doors: %s', (state, doors, identifying) => {
  expect(lightState(doors, identifying)).toBe(state);
});

test('every pattern can be repeated, and no two are alike', () => {
  const patterns = Object.values(lightPatterns);
  expect(patterns.every((periods) => periods.length % 2 === 0)).toBe(true);
  expect(new Set(patterns.map((periods) => periods.join())).size).toBe(patterns.length);
});
