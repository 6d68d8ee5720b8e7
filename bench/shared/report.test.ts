import { expect, test } from 'vitest';
import { type Figure, type Measured, ratio, reportJson, reportText } from './report.ts';

const plain: Figure = { name: 'plain', unit: 'rows/s', values: [1_000, 3_000, 2_000] };
const whole: Figure = { name: 'whole', unit: 'rows/s', values: [500, 600, 1_800] };
const measured: Measured = {
  figures: [plain, whole],
  targets: [
    { name: 'whole : plain', unit: '', value: 0.5, expected: { atLeast: 0.5 } },
    { name: 'latency', unit: 'ms', value: 50, expected: { below: 50 } },
  ],
  skipped: ['the other, which is not installed'],
};

test('compares figures of the same round, and returns the median ratio', () => {
  expect(ratio(whole, plain)).toBe(0.5);
});

test('shows medians, spreads, targets and skipped measurements', () => {
  const [, ...parts] = reportText(measured).split('\n\n');
  expect(parts).toEqual([
    'measured  median          of the rounds\nplain     2,000   rows/s  1,000 to 3,000\nwhole       600   rows/s  500 to 1,800',
    'target         here       expected\nwhole : plain  0.500      at least 0.5  holds\nlatency         50.0  ms  below 50      does not hold',
    'not measured: the other, which is not installed',
  ]);
});

test('prints the same as JSON, with every round', () => {
  expect(JSON.parse(reportJson(measured, { rounds: 3 }))).toMatchObject({
    machine: { node: process.version },
    options: { rounds: 3 },
    figures: [
      { ...plain, median: 2_000 },
      { ...whole, median: 600 },
    ],
    targets: [{ holds: true }, { holds: false }],
    skipped: measured.skipped,
  });
});
