import { lastInstant } from '@visitor-counter/domain/time';
import { expect, test } from 'vitest';
import { pendingCrossings, readStoredHeartbeat } from './stored-heartbeat.ts';

test('reads the fields of a heartbeat, and none of one with a value that no gateway stores', () => {
  const beams = [{ name: 'outer', state: 'blocked', since: 1_785_000_000_000, breaks: 3 }];
  const stored = { at: 1_785_000_000_000, version: '1.2.0', recorded: 7, acknowledged: 3, beams, held: 2 };
  const others = { areBeamsUnreadable: false, isFlickering: false, givenUp: 0, lost: 0 };
  expect(readStoredHeartbeat(stored)).toEqual({ ...stored, ...others });
  for (const invalid of [{ at: lastInstant + 1 }, { recorded: '7' }, { beams: [{ name: 7 }] }])
    expect(readStoredHeartbeat({ ...stored, ...invalid })).toEqual({ beams: [], held: 0, ...others });
  expect(readStoredHeartbeat('x')).toBeUndefined();
});

test('reads from the state of the lines whether beams are unreadable, and whether one flickers', () => {
  const read = (lines: unknown) => readStoredHeartbeat({ lines })?.areBeamsUnreadable;
  expect(read({ problem: 'gpiomon is not installed' })).toBe(true);
  for (const lines of [undefined, null, 'x', [], {}, { problem: null }]) expect(read(lines)).toBe(false);
  expect(readStoredHeartbeat({ lines: { flickering: 'a' } })).toMatchObject({ isFlickering: true });
});

test('counts lost crossings within bounds', () => {
  const huge = ['j', 0, Number.MAX_SAFE_INTEGER];
  expect(
    readStoredHeartbeat({
      lost: [
        ['j', 3, 4],
        ['j', 9, 1],
      ],
    })?.lost,
  ).toBe(2);
  expect(readStoredHeartbeat({ lost: [huge, huge] })?.lost).toBe(Number.MAX_SAFE_INTEGER);
});

const ended = { journal: 'ended', recorded: 30, acknowledged: 10 };

test.each([
  ['what it does not report', {}, 0, undefined],
  ['what is in its journal', { recorded: 40, acknowledged: 12 }, 0, 28],
  ['what has not been stored since', { recorded: 40, acknowledged: 12 }, 20, 8],
  ['what is in memory', { recorded: 40, acknowledged: 40, held: 3 }, 0, 3],
  ['what is in memory once', { recorded: 1, acknowledged: 1, held: 20, volatile: ended }, 0, 20],
  ['what is in a journal that has ended', { recorded: 1, acknowledged: 1, volatile: ended }, 0, 20],
  ['no crossing less than none', { recorded: 1, acknowledged: 2 }, 0, 0],
])('counts as pending %s', (_, heartbeat, stored, pending) => {
  expect(pendingCrossings(heartbeat, stored)).toBe(pending);
});
