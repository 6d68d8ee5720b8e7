import { expect, test } from 'vitest';
import { StoringStatus } from './start-ingest.ts';

function begin() {
  let pendingSince: number | undefined;
  const status = new StoringStatus(() => pendingSince);
  const wait = (since: number | undefined) => {
    pendingSince = since;
  };
  return { status, wait };
}

test('reports a problem when attempts have failed for a while, until one succeeds', () => {
  const { status, wait } = begin();
  expect(status.problem(0)).toBeUndefined();
  wait(1_000);
  for (let now = 1_000; now <= 9_000; now += 1_000) status.failed(new Error('disk full'), now);

  expect(status.problem(2_000)).toBeUndefined();
  expect(status.problem(9_000)).toBe('nothing has been stored for 8 s: disk full');

  expect(status.stored(9_500)).toBe(8_500);
  expect(status.problem(9_500)).toBeUndefined();
  expect(status.stored(9_600)).toBeUndefined();
});

test('is ready while messages are stored, and not while they are queued, regardless of the probe', async () => {
  const { status, wait } = begin();
  const ready = (now: number, probe?: string) => status.readiness(async () => probe, now);
  expect(await ready(0)).toBeUndefined();
  expect(await ready(0, 'silent')).toBe('silent');

  wait(9_000);
  status.stored(10_000);
  expect(await ready(11_000, 'silent')).toBeUndefined();
  wait(10_500);
  expect(await ready(11_900, 'silent')).toBe('silent');
  expect(await ready(12_100)).toBe('nothing has been stored for 2 s');

  status.failed(new Error('disk full'), 12_200);
  status.stored(13_000);
  expect(await ready(13_100, 'silent')).toBeUndefined();
  status.failed(new Error('connection lost'), 13_200);
  expect(await ready(13_300, 'silent')).toBe('silent');
});
