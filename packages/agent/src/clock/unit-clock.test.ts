import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test } from 'vitest';
import { monotonicMs } from './time.ts';
import { offsetToUse, UnitClock } from './unit-clock.ts';

const never = new AbortController().signal;
const minute = 60_000;
const hour = 60 * minute;
const wrong = Date.UTC(2025, 0, 1);
const right = Date.UTC(2026, 10, 21);

/** A clock on a machine whose times the test sets. */
async function clockAt(synchronised: boolean) {
  const machine = { monotonic: 1_000, wall: wrong, synchronised };
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const clock = await UnitClock.start({
    boot: 'b',
    monotonic: () => monotonicMs(machine.monotonic),
    wall: () => machine.wall,
    synchronised: async () => machine.synchronised,
    pollInterval: 1,
    gatewayTimeAfter: 5 * minute,
    log: createLogger('agent', {}, { write }),
  });
  onTestFinished(() => clock.close());
  return { clock, machine, log: () => log };
}

test('until the right time is known, an instant is the unverified time of the clock', async () => {
  const { clock } = await clockAt(false);
  expect(clock.instantAt(monotonicMs(500))).toEqual({ at: wrong - 500, uncertainty: 0, isDated: false });
});

test('uses the time of the gateway from five minutes after the start, with its uncertainty', async () => {
  const { clock, machine } = await clockAt(false);
  clock.receiveGatewayTime(right, 80);
  expect(clock.bootTime).toBeUndefined();
  machine.monotonic = 6 * minute;
  const known = clock.knownBootTime(never);
  clock.receiveGatewayTime(right, 80);
  expect(await known).toEqual({ offset: right + 40 - 6 * minute, uncertainty: 40 });
  expect(clock.synced).toBe(false);
  expect(clock.instantAt(monotonicMs(5 * minute))).toEqual({
    at: right + 40 - minute,
    uncertainty: 40,
    isDated: true,
  });
});

test.each([
  ['a correction by NTP', 3_000, undefined, 3_000],
  ['a correction by NTP, whatever the gateway reports', -3_000, 0, -3_000],
  ['the largest correction by NTP', 10_000, undefined, 10_000],
  ['a larger change without a gateway', 10_001, undefined, 0],
  ['+9 h against the gateway', 9 * hour, 40, 0],
  ['-8 h against the gateway', -8 * hour, -40, 0],
  ['-18 h against the gateway', -18 * hour, 0, 0],
  ['+11 s against the least exact answer', 11_000, 5_000, 0],
  ['+11 s with the least exact answer', 11_000, 6_000, 11_000],
  ['-90 s after days without NTP, with a gateway that is 20 s off', -90_000, -70_000, -90_000],
] as const)('determines the offset to use after %s', (_, change, gateway, used) => {
  const answered = gateway === undefined ? undefined : right + gateway;
  expect(offsetToUse(right, right + change, answered)).toBe(right + used);
});

/** A clock that was right, on a machine whose clock something then sets wrong by `change`, or corrects. */
async function changedClock(change: number) {
  const { clock, machine, log } = await clockAt(true);
  machine.wall += change;
  const warnings = () => log().match(/"changedBySeconds":-?\d+/g) ?? [];
  return { clock, machine, log, warnings };
}

test.each([9 * hour, -8 * hour, -18 * hour])(
  'continues with the time from before a change by %i ms, and reports it once',
  async (change) => {
    const { clock, machine, warnings } = await changedClock(change);
    expect(clock).toMatchObject({ synced: false, changedBy: change });
    machine.monotonic += minute;
    machine.wall += minute;
    await expect.poll(warnings).toEqual([`"changedBySeconds":${change / 1_000}`]);

    clock.receiveGatewayTime(wrong + minute + 300, 400);

    expect(clock.instantAt(monotonicMs(500))).toEqual({ at: wrong - 500, uncertainty: 0, isDated: true });
    expect(clock.now()).toBe(wrong + minute);
    expect(await clock.knownBootTime(never)).toEqual({ offset: wrong - 1_000, uncertainty: 0 });
    expect(clock.synced).toBe(false);
    expect(warnings()).toHaveLength(1);
  },
);

test('is synchronised again when the clock is set back', async () => {
  const { clock, machine, log, warnings } = await changedClock(9 * hour);
  await expect.poll(warnings).toHaveLength(1);
  machine.wall = wrong + 2_000;
  expect(clock).toMatchObject({ synced: true, changedBy: 0 });
  await expect.poll(log).toContain('changed clock corrected or confirmed');
  await expect.poll(() => clock.now()).toBe(wrong + 2_000);
});

test('reports each of several changes', async () => {
  const { clock, machine, warnings } = await changedClock(9 * hour);
  await expect.poll(warnings).toHaveLength(1);
  machine.wall = wrong - 18 * hour;
  await expect.poll(warnings).toEqual(['"changedBySeconds":32400', '"changedBySeconds":-64800']);
  expect(clock.now()).toBe(wrong);
});

test('follows a correction by NTP without a report', async () => {
  const { clock, log } = await changedClock(3_000);
  expect(clock).toMatchObject({ synced: true, changedBy: 0 });
  await expect.poll(() => clock.now()).toBe(wrong + 3_000);
  expect(log()).toBe('');
});

test('follows a larger correction when the gateway confirms it', async () => {
  const { clock, log } = await changedClock(90_000);
  expect(clock.now()).toBe(wrong);

  clock.receiveGatewayTime(wrong + 89_000, 400);

  expect(clock.now()).toBe(wrong + 90_000);
  expect(clock.synced).toBe(true);
  expect(log()).toContain('"changedBySeconds":90');
  await expect.poll(log).toContain('changed clock corrected or confirmed');
});

test('follows a clock that was wrong at the start and is corrected while the gateway is unreachable', async () => {
  const { clock, machine } = await clockAt(true);
  clock.receiveGatewayTime(right, 400);
  expect(clock.now()).toBe(wrong);

  machine.wall = right;

  await expect.poll(() => clock.now()).toBe(right);
  expect(clock).toMatchObject({ synced: true, changedBy: 0 });
});

test('uses the synchronised clock instead of the time of the gateway', async () => {
  const { clock, machine } = await clockAt(false);
  machine.monotonic = 6 * minute;
  clock.receiveGatewayTime(right, 80);
  Object.assign(machine, { wall: right + hour, synchronised: true });
  await expect.poll(() => clock.synced).toBe(true);
  clock.receiveGatewayTime(right, 80);
  expect(clock.now()).toBe(right + hour);
});
