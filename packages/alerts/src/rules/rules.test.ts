import type { RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { conditionsIn } from './conditions.ts';
import { judge } from './evaluate.ts';
import type { Facts } from './facts.ts';

const now = Date.UTC(2026, 10, 20, 12);
const second = 1_000;
const minute = 60 * second;

const rule = (kind: RuleKind, after: number) => ({
  companyId: 1,
  kind,
  after,
  threshold: null,
});
const device = (more: object = {}) => ({
  deviceId: 5,
  companyId: 1,
  serial: 'CU-5',
  name: 'Front',
  storeId: 3,
  sid: 'S-3',
  storeName: 'Main',
  lastActivityAt: now,
  heartbeatAt: null,
  heartbeat: null,
  targetVersion: null,
  troubles: {},
  ...more,
});
const facts = (more: Partial<Facts>): Facts => ({
  now,
  rules: [],
  open: [],
  devices: [],
  stores: [],
  findings: [],
  searched: new Set(),
  incomplete: [],
  overLimits: [],
  lowDisks: [],
  changed: [],
  versions: new Map(),
  gaps: [],
  recent: [],
  life: { alive: true, since: Number.NEGATIVE_INFINITY, seenAt: now },
  ...more,
});
const open = (kind: RuleKind, subject: string) => ({ id: 'a', companyId: 1, kind, subject, deviceId: 5 });

const silent = (silence: number, more: Partial<Facts> = {}) =>
  conditionsIn(
    facts({
      rules: [rule('device-inactive', 10 * minute)],
      devices: [device({ lastActivityAt: now - silence })],
      ...more,
    }),
  );

test('reports a device as inactive from the instant at which it was silent for long enough', () => {
  expect(silent(10 * minute - 1)).toEqual([]);
  expect(silent(10 * minute)).toEqual([
    {
      companyId: 1,
      kind: 'device-inactive',
      subject: '5',
      deviceId: 5,
      storeId: 3,
      beganAt: now,
      about: {
        serial: 'CU-5',
        device: 'Front',
        sid: 'S-3',
        store: 'Main',
        since: '2026-11-20T11:50:00.000Z',
      },
    },
  ]);
});

test('reports no device as inactive while no gateway runs, and restarts the time after an outage', () => {
  const outage = { alive: false, since: 0, seenAt: now - minute };
  const back = { alive: true, since: now - 10 * minute + 1, seenAt: now };
  expect(silent(24 * 60 * minute, { life: outage })).toEqual([]);
  expect(silent(24 * 60 * minute, { life: back })).toEqual([]);
  expect(silent(24 * 60 * minute, { life: { ...back, since: now - 10 * minute } })).toHaveLength(1);
});

test('leaves the alert for a silent device open during an outage of the gateways', () => {
  const known = [open('device-inactive', '5')];
  const back = { alive: true, since: now, seenAt: now };
  for (const life of [back, { ...back, alive: false }]) {
    expect(silent(24 * 60 * minute, { life, open: known })).toHaveLength(1);
  }
  expect(silent(0, { open: known })).toEqual([]);
});

const full = (occupancy: number, capacity: number, known: Facts['open'] = []) =>
  conditionsIn(
    facts({
      rules: [rule('capacity-reached', 0)],
      open: known,
      stores: [
        {
          storeId: 3,
          companyId: 1,
          sid: 'S-3',
          name: 'Main',
          capacity,
          occupancy,
          changedAt: now - 5,
          timeZone: 'UTC',
          dayStartsAt: '00:00',
        },
      ],
    }),
  );
const filled = (...store: Parameters<typeof full>) => full(...store).length > 0;

test('reports a store as full from its capacity until several places are free', () => {
  const known = [open('capacity-reached', '3')];
  expect([99, 100, 101].map((people) => filled(people, 100))).toEqual([false, true, true]);
  expect(full(100, 100)).toMatchObject([{ beganAt: now - 5 }]);
  expect([94, 95, 100].map((people) => filled(people, 100, known))).toEqual([false, true, true]);
  expect([0, 1].map((people) => filled(people, 1, known))).toEqual([false, true]);
  expect([8, 9].map((people) => filled(people, 10, known))).toEqual([false, true]);
  expect([3, 4].map((people) => filled(people, 5, known))).toEqual([false, true]);
});

test('raises and clears alerts so that exactly the true conditions are open, each incident once', () => {
  const condition = fc.record({
    companyId: fc.nat(2),
    kind: fc.constantFrom<RuleKind>('device-inactive', 'beam-blocked'),
    subject: fc.constantFrom('1', '2'),
  });
  const key = ({ companyId, kind, subject }: { companyId: number; kind: string; subject: string }) =>
    `${companyId}/${kind}/${subject}`;
  const some = fc.uniqueArray(condition, { selector: key });
  fc.assert(
    fc.property(some, some, (before, holding) => {
      const known = before.map((one, n) => ({ ...one, id: `${n}`, deviceId: null }));
      const { raise, clear } = judge(
        known,
        holding.map((one) => ({ ...one, about: {}, beganAt: now })),
      );
      const left = known.filter(({ id }) => !clear.includes(id));
      expect([...left, ...raise].map(key).toSorted()).toEqual(holding.map(key).toSorted());
    }),
  );
});
