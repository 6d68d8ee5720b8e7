import { expect, test } from 'vitest';
import { berlinStore } from '../../../../test/berlin-store.ts';
import { importCalendar } from './calendar-route.ts';

/** A calendar with these events; one without a UID gets its own. */
const calendar = (...events: string[]) =>
  [
    'BEGIN:VCALENDAR\r\nVERSION:2.0',
    ...events.map(
      (lines, n) => `BEGIN:VEVENT\r\n${lines.includes('UID:') ? '' : `UID:${n}\r\n`}${lines}\r\nEND:VEVENT`,
    ),
    'END:VCALENDAR\r\n',
  ].join('\r\n');

/** The present is 20 November 2026 in Berlin. */
async function office() {
  const store = await berlinStore();
  const staff = {
    companyId: store.companyId,
    kind: 'staff',
    value: 'office-token',
    label: 'office',
  } as const;
  await store.seed.credential({ ...staff, settings: true });
  const path = '/v1/stores/S-1/opening-hours/calendar';
  const send = async (text: string, query = '', contentType = 'text/calendar; charset=utf-8') =>
    Object(
      (
        await store.ask(path + query, 'office-token', {
          method: 'POST',
          body: text,
          headers: { 'content-type': contentType },
        })
      ).body,
    );
  return { ...store, send };
}

test('makes exceptions of closed days and of the hours of other days, in the time of the store', async () => {
  const { send } = await office();
  const answer = await send(
    calendar(
      'DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261227\r\nSUMMARY:Closed for Christmas',
      'DTSTART;VALUE=DATE:20261231\r\nSUMMARY:Silvester\r\nCATEGORIES:Geschlossen',
      'DTSTART;TZID=America/New_York:20261129T060000\r\nDTEND;TZID=America/New_York:20261129T120000\r\nSUMMARY:Advent\\, open',
      'DTSTART:20261129T180000Z\r\nDTEND:20261130T010000Z\r\nSUMMARY:Evening',
      'DTSTART:20261205T200000\r\nDURATION:PT6H\r\nSUMMARY:Long night',
      'DTSTART;VALUE=DATE:20261206\r\nSUMMARY:St Nicholas',
      'DTSTART:20261207T120000Z\r\nDTEND:20261207T140000Z\r\nSUMMARY:Closed for a meeting',
      'DTSTART:20261208T120000Z\r\nDTEND:20261210T140000Z\r\nSUMMARY:Fair',
      'DTSTART;TZID=Mars:20261208T120000\r\nDTEND;TZID=Mars:20261208T140000\r\nSUMMARY:Far',
      'DTSTART;VALUE=DATE:20261211\r\nSUMMARY:closed\r\nSTATUS:CANCELLED',
      'DTSTART;VALUE=DATE:20201211\r\nSUMMARY:closed',
      'DTSTART;VALUE=DATE:20401211\r\nSUMMARY:closed',
    ),
  );
  const christmas = { open: [], note: 'Closed for Christmas' };
  expect(answer.imported).toEqual([
    { date: '2026-11-29', open: ['12:00-18:00', '19:00-02:00'], note: 'Advent, open' },
    { date: '2026-12-05', open: ['20:00-02:00'], note: 'Long night' },
    ...['2026-12-24', '2026-12-25', '2026-12-26'].map((date) => ({ date, ...christmas })),
    { date: '2026-12-31', open: [], note: 'Silvester' },
  ]);
  expect(answer.leftOut.map((one: { reason: string }) => one.reason)).toEqual([
    'all-day-not-closed',
    'closed-with-times',
    'too-long',
    'unknown-time-zone',
    'cancelled',
    'past',
    'too-late',
  ]);
  expect(answer.openingHours.week.sunday).toEqual(['00:00-24:00']);
  const holidays = await send(
    calendar('DTSTART;VALUE=DATE:20261206\r\nSUMMARY:St Nicholas'),
    '?allDay=closed',
  );
  expect(holidays.imported).toEqual([{ date: '2026-12-06', open: [], note: 'St Nicholas' }]);
  expect(holidays.openingHours.exceptions).toHaveLength(7);
});

test('expands recurring events for two years, without the dates that are excluded or moved', async () => {
  const { send } = await office();
  const text = calendar(
    'UID:x\r\nDTSTART;VALUE=DATE:20201003\r\nRRULE:FREQ=YEARLY\r\nSUMMARY:closed',
    'UID:x\r\nRECURRENCE-ID;VALUE=DATE:20271003\r\nDTSTART;VALUE=DATE:20271004\r\nSUMMARY:Closed, moved',
    'DTSTART;VALUE=DATE:20261122\r\nRRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=4\r\nEXDATE;VALUE=DATE:20261129\r\nSUMMARY:closed',
  );
  expect((await send(text)).imported.map((one: { date: string }) => one.date)).toEqual([
    '2026-11-22',
    '2026-12-06',
    '2026-12-13',
    '2027-10-04',
    '2028-10-03',
  ]);
});

test('refuses a body that is not a calendar or is too large, and leaves out events that repeat too often', async () => {
  const { send } = await office();
  expect(await send('hello')).toMatchObject({ status: 400, code: 'malformed_body' });
  expect(await send('{}', '', 'application/json')).toMatchObject({ status: 415 });
  expect(await send('x'.repeat(1024 * 1024 + 1))).toMatchObject({ status: 413 });
  const often = 'DTSTART:20000101T000000Z\r\nDTEND:20000101T000100Z\r\nRRULE:FREQ=SECONDLY\r\nSUMMARY:x';
  expect((await send(calendar(often))).leftOut).toMatchObject([{ reason: 'too-often' }]);
});

test('stops reading a calendar whose rule never ends', () => {
  const rule = 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31';
  const text = calendar(`DTSTART;VALUE=DATE:20260101\r\n${rule}\r\nSUMMARY:closed`);
  const input = { text, timeZone: 'UTC', today: '2026-11-20', allDayIsClosed: false };
  expect(() => importCalendar(input, 100)).toThrow('repeats its events too often');
});
