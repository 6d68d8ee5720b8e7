import { expect, test } from 'vitest';
import { deliveryIn, namesOf, reasonsIn } from '../devices/delivery.ts';
import { type DeviceFacts, noGaps } from '../devices/device-facts.ts';
import { planOf } from './plan.ts';

const hour = 3_600_000;
const now = Date.parse('2026-11-20T10:30:00Z');
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`);
const calendar = { timeZone: 'UTC', dayStartsAt: '00:00' };
const days = { from: '2026-11-20', to: '2026-11-20' };
const plan = planOf(calendar, { days, size: 'hour', compare: undefined, now, kept: 0 });

/** A device that has delivered everything, unless the case says otherwise. */
function device(differs: Partial<DeviceFacts> & { readonly recorded?: number } = {}): DeviceFacts {
  const { recorded = 9, ...more } = differs;
  return {
    id: 1,
    serial: 'CU-1',
    name: 'Front',
    storeId: 1,
    registeredAt: at('00:30'),
    online: true,
    onlineChangedAt: now - hour,
    lastActivityAt: now,
    heartbeatAt: now,
    heartbeat: { at: now, journal: 'j', recorded, acknowledged: 9 },
    reachedAt: at('08:20'),
    storedSince: 0,
    directionDoubtfulSince: null,
    flickeringSince: null,
    gaps: noGaps,
    ...more,
  };
}

/** The reasons of each hour of the day that has begun. */
function reasonsOfHours(devices: readonly DeviceFacts[], begin = 0) {
  const delivery = deliveryIn({ devices, projectedUntil: Number.POSITIVE_INFINITY }, now);
  return plan.starts.map((_, index) =>
    namesOf(reasonsIn(plan.all[index], { delivery, begin }, now)).join(' '),
  );
}

const complete = Array.from({ length: 10 }, () => '');
const from = (first: number, reason: string, to = 10) =>
  complete.map((_, index) => (index >= first && index < to ? reason : ''));

test.each([
  ['nothing is missing', [device()], [...complete, 'running']],
  [
    'a unit has pending crossings',
    [device(), device({ recorded: 12 })],
    [...from(8, 'late'), 'running late'],
  ],
  [
    'a unit has never connected',
    [device({ heartbeat: null, heartbeatAt: null })],
    [...from(0, 'late'), 'running late'],
  ],
  [
    'crossings are lost',
    [device({ gaps: { ...noGaps, lost: [{ count: 2, from: at('03:10'), until: at('05:00') }] } })],
    [...from(3, 'lost', 6), 'running'],
  ],
  [
    'crossings are missing',
    [device({ gaps: { ...noGaps, missing: 3, missingFrom: at('07:59') } })],
    [...from(7, 'lost'), 'running lost'],
  ],
  [
    'messages conflict',
    [device({ gaps: { ...noGaps, conflicts: 1, conflictsFrom: at('09:00') } })],
    [...from(9, 'lost'), 'running lost'],
  ],
  ['the store has no devices', [], [...complete, 'running']],
])('marks the hours of a day in which %s', (_, devices, expected) => {
  expect(reasonsOfHours(devices)).toEqual(expected);
});

test('marks the hours that were over when the store began to count', () => {
  expect(reasonsOfHours([device()], at('03:15'))).toEqual([...from(0, 'not-started', 3), 'running']);
  const hours = reasonsOfHours([device()], Number.POSITIVE_INFINITY);
  expect(hours).toEqual([...from(0, 'not-started'), 'running not-started']);
});
