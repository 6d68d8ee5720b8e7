import { expect, test } from 'vitest';
import { dateRange, parseDateBound, requireOrderInSome } from './date-range.ts';

const berlin = { timeZone: 'Europe/Berlin', dayStartsAt: '00:00' };

function range(DateFrom: string, DateTo: string, calendar = berlin) {
  const { from, to } = dateRange({ DateFrom, DateTo })(calendar);
  return [new Date(from).toISOString(), new Date(to).toISOString()];
}

test('reads a date as the business day that starts on it, DateTo inclusive', () => {
  expect(range('2026-11-20', '2026-11-20')).toEqual(['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z']);
  const early = { timeZone: 'America/Los_Angeles', dayStartsAt: '04:30' };
  expect(range('2026-11-20', '2026-11-21', early)).toEqual([
    '2026-11-20T12:30:00.000Z',
    '2026-11-22T12:30:00.000Z',
  ]);
});

test('handles days of 23 and 25 hours, and days that start in a gap', () => {
  expect(range('2026-03-29', '2026-03-29')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  expect(range('2026-10-25', '2026-10-25')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
  expect(range('2026-03-29', '2026-03-29', { ...berlin, dayStartsAt: '02:30' })).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('reads a date-time with an offset as that instant, DateTo exclusive', () => {
  const expected = ['2026-11-20T09:15:30.123Z', '2026-11-20T09:15:31.000Z'];
  expect(range('2026-11-20T10:15:30.123+01:00', '2026-11-20T09:15:31Z')).toEqual(expected);
  expect(range('2026-11-20 04:45:30.1239999-0430', '2026-11-20t09:15:31.000z')).toEqual(expected);
  expect(range('2026-11-20T10:15:30.123 01:00', '2026-11-20 10:15:31 01:00')).toEqual(expected);
});

test('reads a date-time without an offset as local time of the store', () => {
  expect(range('2026-07-01T10:00', '2026-07-01 11:00:00.5')).toEqual([
    '2026-07-01T08:00:00.000Z',
    '2026-07-01T09:00:00.500Z',
  ]);
});

test('uses the next existing instant for a local time in a gap', () => {
  const moment = '2026-03-29T01:00:00.000Z';
  expect(range('2026-03-29T02:30', '2026-03-29T02:45')).toEqual([moment, moment]);
  expect(range('2026-03-29T02:00', '2026-03-29T03:00')).toEqual([moment, moment]);
});

test('uses the earlier of two local times for DateFrom, the later for DateTo', () => {
  expect(range('2026-10-25T02:30', '2026-10-25T02:30')).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ]);
});

test('mixes the forms, and reads equal instants as an empty range', () => {
  expect(range('2026-11-20T12:00', '2026-11-20')).toEqual([
    '2026-11-20T11:00:00.000Z',
    '2026-11-20T23:00:00.000Z',
  ]);
  expect(range('2026-11-20', '2026-11-20T00:00+01:00')[0]).toBe('2026-11-19T23:00:00.000Z');
});

test.each([
  ['2026-11-21', '2026-11-20'],
  ['2026-11-20T10:00:00.001Z', '2026-11-20T10:00:00Z'],
  ['2026-11-20T10:00', '2026-11-20T09:59'],
])('rejects a range from %s to %s', (from, to) => {
  expect(() => range(from, to)).toThrow(expect.objectContaining({ code: 'invalid_date_range' }));
});

test.each([
  ['2026-11-21', '2026-11-20T23:59'],
  ['2026-11-21T00:00', '2026-11-19'],
  ['2026-11-20', '2026-11-20T00:30+01:00'],
])('rejects a range from %s to %s only if it is reversed in every store', (DateFrom, DateTo) => {
  const values = { DateFrom, DateTo };
  const rangeIn = dateRange(values);
  const late = rangeIn({ ...berlin, dayStartsAt: '04:30' });
  const refused = expect.objectContaining({ code: 'invalid_date_range' });
  expect(() => requireOrderInSome([late, late], values)).toThrow(refused);
  expect(() => requireOrderInSome([late, { from: 1, to: 1 }], values)).not.toThrow();
  expect(() => requireOrderInSome([], values)).not.toThrow();
});

test.each([
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '0000-01-01',
  '10000-01-01',
  '+002026-01-01',
  '20261120',
  '2026-11-20T24:00',
  '2026-11-20T10:60',
  '2026-11-20T10:00:60',
  '2026-11-20T10',
  '2026-11-20T10:00:00,5',
  '2026-11-20T10:00:00.',
  '2026-11-20T10:00+25:00',
  '2026-11-20T10:00+01',
  '2026-11-20T10:00 Europe/Berlin',
  '2026-11-20T10:00[Europe/Berlin]',
  '2026-11-20Z',
  '20.11.2026',
  '11/20/2026',
  'yesterday',
  '1795170930',
  '２０２６-11-20',
])('refuses %s', (text) => {
  expect(parseDateBound(text)).toBeUndefined();
  expect(() => range(text, '2026-11-20')).toThrow(
    expect.objectContaining({
      code: 'invalid_parameter',
      record: expect.objectContaining({ parameter: 'DateFrom' }),
    }),
  );
});

test('does not overflow between the years 0001 and 9999', () => {
  for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC']) {
    for (const [from, to] of [
      ['0001-01-01', '9999-12-31'],
      ['0001-01-01T00:00', '9999-12-31T23:59:59.999'],
      ['0001-01-01T00:00+23:59', '9999-12-31T23:59-23:59'],
    ] as const) {
      expect(range(from, to, { timeZone, dayStartsAt: '23:59' })).toHaveLength(2);
    }
  }
});
