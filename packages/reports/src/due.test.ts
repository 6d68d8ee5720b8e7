import type { ScheduledReport, ScheduledStore } from '@visitor-counter/database/reports/mail-reports';
import { expect, test } from 'vitest';
import { dueMails, lastPeriod } from './due.ts';

const berlin = { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' };
const irvine = { timeZone: 'America/Los_Angeles', dayStartsAt: '00:00' };
const always: ScheduledStore = { calendar: berlin, hours: null };
const bar: ScheduledStore = {
  calendar: berlin,
  hours: { week: { friday: ['20:00-02:00'], saturday: ['09:00-12:00', '13:00-18:30'] }, exceptions: [] },
};

function due(report: Partial<ScheduledReport>, now: string) {
  const one: ScheduledReport = { id: 1, period: 'daily', hour: null, since: 0, stores: [always], ...report };
  return dueMails([one], Date.parse(now)).map(({ from, to, countedUntil }) => {
    const days = from === to ? from : `${from}..${to}`;
    return `${days} until ${new Date(countedUntil).toISOString().slice(0, 16)}`;
  });
}

test('a daily report without opening hours is due after the end of the business day', () => {
  const since = Date.parse('2026-11-19T23:02:00Z');
  expect(due({ since }, '2026-11-20T23:01:59Z')).toEqual(['2026-11-19 until 2026-11-19T23:02']);
  expect(due({ since }, '2026-11-20T23:02:00Z')).toHaveLength(2);
  expect(due({ since: since + 1 }, '2026-11-20T23:02:00Z')).toEqual(['2026-11-20 until 2026-11-20T23:02']);
});

test('a report is due after the last of its stores has closed, in any time zone and after midnight', () => {
  const friday = { since: Date.parse('2026-11-20T12:00:00Z') };
  expect(due({ ...friday, stores: [bar] }, '2026-11-21T01:02:00Z')).toEqual([
    '2026-11-20 until 2026-11-21T01:02',
  ]);
  const far = { calendar: irvine, hours: { week: { friday: ['09:00-20:00'] }, exceptions: [] } };
  expect(due({ ...friday, stores: [bar, far] }, '2026-11-21T04:01:00Z')).toEqual([]);
  expect(due({ ...friday, stores: [bar, far] }, '2026-11-21T04:02:00Z')).toEqual([
    '2026-11-20 until 2026-11-21T04:02',
  ]);
});

test('a day on which all stores are closed has no daily report, and does not delay a longer one', () => {
  const stores = [bar];
  const since = Date.parse('2026-11-21T12:00:00Z');
  expect(due({ since, stores }, '2026-11-23T12:00:00Z')).toEqual(['2026-11-21 until 2026-11-21T17:32']);
  expect(due({ since, stores, period: 'weekly' }, '2026-11-22T00:00:00Z')).toEqual([
    '2026-11-16..2026-11-22 until 2026-11-21T23:02',
  ]);
});

test('a night that ends on a closed day is in its reports, unless the business day begins later', () => {
  const since = Date.parse('2026-11-22T00:00:00Z');
  const hours = { week: { saturday: ['20:00-02:00'] }, exceptions: [] };
  const club: ScheduledStore = { calendar: berlin, hours };
  const lateClub: ScheduledStore = { calendar: { ...berlin, dayStartsAt: '04:00' }, hours };
  for (const [period, from] of [
    ['daily', ''],
    ['weekly', '2026-11-16..'],
  ] as const) {
    expect(
      due({ since, period, stores: [club] }, '2026-11-22T01:01:59Z').filter((one) =>
        one.includes('11-22 until'),
      ),
    ).toEqual([]);
    expect(due({ since, period, stores: [club] }, '2026-11-22T01:02:00Z').at(-1)).toBe(
      `${from}2026-11-22 until 2026-11-22T01:02`,
    );
  }
  expect(due({ since, stores: [lateClub] }, '2026-11-23T12:00:00Z')).toEqual([
    '2026-11-21 until 2026-11-22T01:02',
  ]);
  expect(due({ since, period: 'weekly', stores: [lateClub] }, '2026-11-23T12:00:00Z')).toEqual([
    '2026-11-16..2026-11-22 until 2026-11-22T03:02',
  ]);
  /* Its Saturday night begins at midnight. */
  const night = { ...lateClub, hours: { week: { sunday: ['00:00-03:00'] }, exceptions: [] } };
  expect(due({ since, stores: [night] }, '2026-11-23T12:00:00Z')).toEqual([
    '2026-11-21 until 2026-11-22T02:02',
  ]);
});

test('a month ends on its last day, also in February and when clocks change', () => {
  const monthly = { period: 'monthly', since: 0 } as const;
  expect(due(monthly, '2027-03-01T12:00:00Z')).toEqual(['2027-02-01..2027-02-28 until 2027-02-28T23:02']);
  expect(due(monthly, '2026-10-30T12:00:00Z')).toEqual([]);
  const changed = {
    ...bar,
    hours: { week: { sunday: ['09:00-18:00'] }, exceptions: [] },
  } satisfies ScheduledStore;
  expect(due({ stores: [changed] }, '2026-10-25T20:00:00Z').at(-1)).toBe('2026-10-25 until 2026-10-25T17:02');
});

test('reports that an outage has delayed are sent for a week', () => {
  expect(due({}, '2026-11-20T12:00:00Z')).toHaveLength(7);
  expect(due({ stores: [] }, '2026-11-20T12:00:00Z')).toEqual([]);
});

test('a report with an hour is due at it, by the time of the store that closes last, and counts until that has closed', () => {
  const far = { calendar: irvine, hours: { week: { friday: ['09:00-20:00'] }, exceptions: [] } };
  const report = { since: Date.parse('2026-11-20T12:00:00Z'), stores: [bar, far], hour: 7 };
  expect(due(report, '2026-11-21T14:59:59Z')).toEqual([]);
  expect(due(report, '2026-11-21T15:00:00Z')).toEqual(['2026-11-20 until 2026-11-21T04:02']);
  /* The hour comes on the evening of the same day, too. */
  const late = { since: Date.parse('2026-11-21T21:00:00Z'), stores: [always], hour: 22 };
  expect(due(late, '2026-11-21T20:59:59Z')).toEqual([]);
  expect(due(late, '2026-11-21T21:00:00Z')).toEqual(['2026-11-20 until 2026-11-20T23:02']);
});

test('the last period is the latest that is over, whenever the report was added', () => {
  const one = { id: 1, hour: 7, since: Number.POSITIVE_INFINITY, stores: [always] };
  const last = (period: ScheduledReport['period'], now: string) => {
    const { from, to } = lastPeriod({ ...one, period }, Date.parse(now)) ?? {};
    return [from, to];
  };
  expect(last('daily', '2026-11-20T12:00:00Z')).toEqual(['2026-11-19', '2026-11-19']);
  expect(last('weekly', '2026-11-20T12:00:00Z')).toEqual(['2026-11-09', '2026-11-15']);
  expect(last('monthly', '2026-11-30T22:00:00Z')).toEqual(['2026-10-01', '2026-10-31']);
  expect(
    lastPeriod({ ...one, period: 'daily', stores: [] }, Date.parse('2026-11-20T12:00:00Z')),
  ).toBeUndefined();
});
