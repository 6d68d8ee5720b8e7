import { expect, test } from 'vitest';
import { parseTrafficProfile } from './traffic-profile.ts';

const start = '# days: 2\n# interval: 30\nday,time,in,out\n';

test('reads the intervals of each day in order, without those that nobody passed', () => {
  const { days, interval, traffic } = parseTrafficProfile(
    `${start}1,09:00,0,0\n1,08:30,4,1\n1,08:00,2,0\r\n`,
  );
  expect({ days, interval }).toEqual({ days: 2, interval: 30 });
  expect([...traffic]).toEqual([
    [
      1,
      [
        { minute: 480, in: 2, out: 0 },
        { minute: 510, in: 4, out: 1 },
      ],
    ],
  ]);
});

test.each([
  ['day,time,in,out', 'line 1: days is not set: expected a comment "# days: N"'],
  ['# a\n# days: 0', 'line 2: days is "0": expected a whole number of 1 or more'],
  [
    '# days: 1\n# interval: 7',
    'line 2: interval is "7": expected a whole number of minutes that divides a day',
  ],
  ['# days: 1\n# interval: 0', 'line 2: interval is "0": expected'],
  ['# days: 1\nday;time', 'line 2: the column names are "day;time": expected day,time,in,out'],
  ['# days: 1', 'line 1: the column names are "": expected day,time,in,out'],
  [`${start}0,24:00,1,1`, 'line 4: the row is "0,24:00,1,1": expected day,HH:MM,in,out'],
  [`${start}2,08:00,1,1`, 'line 4: day is 2: expected less than 2'],
  [`${start}0,08:10,1,1`, 'line 4: time is "08:10": expected the start of an interval of 30 minutes'],
  [`${start}0,08:00,1,1\n0,08:00,2,2`, 'line 5: day 0, time 08:00: expected each interval only once'],
])('refuses %j with the line, the value and what was expected', (text, message) => {
  expect(() => parseTrafficProfile(text)).toThrow(`traffic profile, ${message}`);
});
