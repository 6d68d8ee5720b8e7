import { expect, test } from 'vitest';
import { monotonicMs } from './time.ts';
import { UnitClock } from './unit-clock.ts';

const never = new AbortController().signal;
const minute = 60_000;
const wrong = Date.UTC(2025, 0, 1);
const right = Date.UTC(2026, 10, 21);

/** A clock on a machine whose times the test sets. */
async function clockAt(synchronised: boolean) {
  const machine = { monotonic: 1_000, wall: wrong, synchronised };
  const clock = await UnitClock.start({
    boot: 'b',
    monotonic: () => monotonicMs(machine.monotonic),
    wall: () => machine.wall,
    synchronised: async () => machine.synchronised,
    pollInterval: 1,
    gatewayTimeAfter: 5 * minute,
  });
  return { clock, machine };
}

test('until the right time is known, an instant is the unverified time of the clock', async () => {
  const { clock } = await clockAt(false);
  expect(clock.instantAt(monotonicMs(500))).toEqual({ at: wrong - 500, uncertainty: 0, isDated: false });
  clock.close();
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
  clock.close();
});
