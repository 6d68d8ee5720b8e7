import { OtherInstallation } from '@visitor-counter/database/ingest/one-installation';
import { expect, test } from 'vitest';
import { StoringProblem } from './storing-status.ts';

function begin() {
  let waiting: number | undefined;
  const problem = new StoringProblem(() => waiting);
  const wait = (since: number | undefined) => {
    waiting = since;
  };
  return { problem, wait };
}

test('says so when attempts have failed for a while, until one succeeds', () => {
  const { problem, wait } = begin();
  expect(problem.current(0)).toBeUndefined();
  wait(1_000);
  for (let now = 1_000; now <= 9_000; now += 1_000) problem.failed(new Error('disk full'), now);

  expect(problem.current(5_000)).toBeUndefined();
  expect(problem.current(9_000)).toBe('nothing has been stored for 8 s');

  problem.stored(9_500);
  expect(problem.current(9_500)).toBeUndefined();
});

test('says so when an attempt takes long, but not while only much waits', () => {
  const { problem, wait } = begin();
  wait(1_000);
  expect(problem.current(7_000)).toBe('nothing has been stored for 6 s');

  problem.stored(7_000);
  expect(problem.current(8_000)).toBeUndefined();
});

test('is believed again some time after a failure when nothing comes', () => {
  const { problem, wait } = begin();
  wait(0);
  problem.failed(new Error('disk full'), 0);
  problem.failed(new Error('disk full'), 8_000);
  wait(undefined);

  expect(problem.current(10_000)).toBe('nothing has been stored for 10 s');
  expect(problem.current(18_000)).toBeUndefined();
});

test('tells at once of the database of another installation', () => {
  const { problem } = begin();
  problem.failed(new OtherInstallation(), 0);
  expect(problem.current(0)).toContain('another database');
});

test('is ready while messages are stored and not once they wait, whatever a probe finds', async () => {
  const { problem, wait } = begin();
  const ready = (now: number, probe?: string) => problem.readiness(async () => probe, now);
  expect(await ready(0)).toBeUndefined();
  expect(await ready(0, 'silent')).toBe('silent');

  wait(9_000);
  problem.stored(10_000);
  expect(await ready(11_000, 'silent')).toBeUndefined();
  wait(10_500);
  expect(await ready(11_900, 'silent')).toBe('silent');
  expect(await ready(12_100)).toBe('nothing has been stored for 2 s');
  expect(problem.current(12_100)).toBeUndefined();

  problem.failed(new Error('disk full'), 12_200);
  problem.stored(13_000);
  expect(await ready(13_100, 'silent')).toBeUndefined();
  problem.failed(new Error('connection lost'), 13_200);
  expect(await ready(13_300, 'silent')).toBe('silent');
});
