import type { Comparison } from '@visitor-counter/domain/periods';
import { expect, test } from 'vitest';
import { planOf, type Request } from './plan.ts';

/** What a plan compares: the period and its end, and of the cells the counted ones and those they are compared with. */
function compared(
  calendar: { readonly timeZone: string; readonly dayStartsAt: string },
  compare: Comparison,
  { from, to, ...more }: { readonly from: string; readonly to: string } & Partial<Request>,
) {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const request = { days: { from, to }, size: 'day', compare, now, kept: 0, ...more } as const;
  const { before } = planOf(calendar, request);
  const dates = before?.indexes.map((index) => (index === undefined ? index : before.all[index]?.date));
  return { period: before?.period, until: before?.until, starts: before?.starts.length, dates };
}

test('compares days by their dates where clocks are set forward over the start of one', () => {
  const santiago = { timeZone: 'America/Santiago', dayStartsAt: '00:00' };
  /* 6 September begins at 01:00. */
  expect(compared(santiago, 'weekdays', { from: '2026-09-06', to: '2026-09-07' }).dates).toEqual([
    '2026-08-30',
    '2026-08-31',
  ]);
  expect(compared(santiago, 'weekdays', { from: '2026-09-13', to: '2026-09-13' }).dates).toEqual([
    '2026-09-06',
  ]);
});

test('compares a month to date with the month before, also in a zone in which another day is today', () => {
  const now = Date.parse('2026-11-22T15:00:00Z');
  const todays = new Set(['2026-11-22', '2026-11-23']);
  const month = (to: string) => ({ from: '2026-11-01', to, now, todays });
  const london = { timeZone: 'Europe/London', dayStartsAt: '00:00' };
  const auckland = { timeZone: 'Pacific/Auckland', dayStartsAt: '00:00' };
  expect(compared(auckland, 'previous', month('2026-11-22'))).toMatchObject({
    period: { from: '2026-10-01', to: '2026-10-22' },
    until: null,
  });
  expect(compared(london, 'previous', month('2026-11-23'))).toMatchObject({
    period: { from: '2026-10-01', to: '2026-10-23' },
    until: '2026-10-22T15:00',
  });
  expect(compared(london, 'previous', month('2026-11-21')).period?.from).toBe('2026-10-11');
});

test('does not cut off the day before in the first quarter hour of a day whose crossings are no longer kept', () => {
  const calendar = { timeZone: 'UTC', dayStartsAt: '04:07' };
  const now = Date.parse('2026-11-20T04:10:30Z');
  const days = { from: '2026-11-19', to: '2026-11-20', now };
  expect(compared(calendar, 'weekdays', days)).toMatchObject({ until: '2026-11-13T04:10', starts: 2 });
  expect(compared(calendar, 'weekdays', { ...days, kept: now })).toMatchObject({
    until: '2026-11-13T04:07',
    starts: 1,
  });
});
