import { expect, test } from 'vitest';
import { marksOf } from './correction-marks.ts';

test('places a correction at its time between the hours, also on the day of a clock change', () => {
  const hour = (from: string, to: string, at: readonly string[]) => ({
    ...{ date: '2026-10-25', from, to, in: 0, out: 0 },
    corrections: at.map((one) => ({ at: one, by: 'Kim', people: 7, was: 3 })),
  });
  const hours = [
    hour('2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', ['2026-10-25T02:30:00+02:00']),
    hour('2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00', ['2026-10-25T02:15:00+01:00']),
  ];
  expect(marksOf(hours).map(({ x }) => x)).toEqual([0, 0.75]);
});
