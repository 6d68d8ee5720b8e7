import { lastInstant } from '@visitor-counter/domain/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStoredHeartbeat } from './stored-heartbeat.ts';

test('reads each value separately: an invalid one is undefined, the others are used', () => {
  const beam = { name: 'outer', state: 'blocked', since: 8.64e15, breaks: 1.5, word: 'x' };
  const stored = { at: 1_785_000_000_000, uptime: 1e300, version: '1.2.0', recorded: '7', acknowledged: 3 };
  expect(
    readStoredHeartbeat({ ...stored, clock: 'late', beams: [beam], cpuTemperature: -300, diskFree: [] }),
  ).toEqual({
    at: 1_785_000_000_000,
    uptime: undefined,
    version: '1.2.0',
    recorded: undefined,
    acknowledged: 3,
    clock: undefined,
    cpuTemperature: undefined,
    diskFree: undefined,
    diskSize: undefined,
    lost: 0,
    storage: undefined,
    held: 0,
    givenUp: 0,
    areBeamsUnreadable: false,
    beams: [{ name: 'outer', state: 'blocked', since: undefined, breaks: undefined }],
  });
  expect(readStoredHeartbeat({ at: lastInstant + 1 })?.at).toBeUndefined();
});

test('reads from the state of the lines whether beams are unreadable', () => {
  const read = (lines: unknown) => readStoredHeartbeat({ lines })?.areBeamsUnreadable;
  expect(read({ problem: 'gpiomon is not installed' })).toBe(true);
  for (const lines of [undefined, null, 'x', [], {}, { problem: null }]) expect(read(lines)).toBe(false);
});

test('gives every beam a unique name', () => {
  const beams = ['outer', 'outer', '', 'x'.repeat(65), 'a\nb', 7].map((name) => ({ name, state: 'clear' }));
  expect(readStoredHeartbeat({ beams })?.beams.map(({ name }) => name)).toEqual([
    'outer',
    'beam 2',
    'beam 3',
    'beam 4',
    'beam 5',
    'beam 6',
  ]);
});

test('counts lost crossings within bounds', () => {
  const huge = ['j', 0, Number.MAX_SAFE_INTEGER];
  expect(readStoredHeartbeat({ lost: [['j', 3, 4], ['j', 9, 1], ['j', 1], 'j', null] })?.lost).toBe(2);
  expect(readStoredHeartbeat({ lost: [huge, huge] })?.lost).toBe(Number.MAX_SAFE_INTEGER);
});

test('never throws, and returns nothing out of bounds', () => {
  const fields = [
    'at',
    'uptime',
    'version',
    'recorded',
    'acknowledged',
    'clock',
    'beams',
    'diskFree',
    'lost',
  ];
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()),
    fc.record({ beams: fc.array(fc.dictionary(fc.constantFrom('name', 'state', 'since'), fc.jsonValue())) }),
  );
  fc.assert(
    fc.property(anything, (value) => {
      const read = readStoredHeartbeat(value);
      expect(read?.at ?? 0).toSatisfy((at: number) => at >= 0 && at <= lastInstant);
      expect(Number.isSafeInteger(read?.lost ?? 0)).toBe(true);
    }),
  );
});
