import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settledByHeartbeat } from './settled-ranges.ts';

const sender = { deviceId: 1, serial: 'CU-1', generation: 1n, heldBytes: 0 };
const range = fc.tuple(fc.constantFrom('a', 'b'), fc.nat(40), fc.nat(40));

test('covers what a heartbeat tells, each sequence once, with one range at least for its journal', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.array(range), (acknowledged, lost) => {
      const settled = settledByHeartbeat(sender, { at: 1, journal: 'a', acknowledged, lost });
      const told = lost.flatMap(([journal, first, last]) => sequences(journal, Math.max(1, first), last));
      const covered = settled.flatMap(({ journal, first, last }) => sequences(journal, first, last));

      expect(covered.toSorted()).toEqual(
        [...new Set([...sequences('a', 1, acknowledged), ...told])].toSorted(),
      );
      expect(settled[0]).toMatchObject({ deviceId: 1, serial: 'CU-1', journal: 'a' });
    }),
  );
});

test('tells the database of no more journals than a unit has', () => {
  const lost = Array.from({ length: 100 }, (_, n) => [`j${n}`, 1, 9] as [string, number, number]);
  expect(settledByHeartbeat(sender, { at: 1, journal: 'j0', lost })).toHaveLength(8);
});

function sequences(journal: string, first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => `${journal} ${first + index}`);
}
