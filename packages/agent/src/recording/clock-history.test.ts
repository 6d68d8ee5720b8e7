import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crossingsOf } from '../../test/temporary-journal.ts';
import { monotonicMs } from '../clock/time.ts';
import { UnitClock } from '../clock/unit-clock.ts';
import { openJournal } from '../journal/journal.ts';
import { determineInstants } from './determine-instants.ts';

const hour = 3_600_000;
const log = createLogger('test', { LOG_LEVEL: 'silent' });

/** The events of a unit without a battery clock; times in ms. */
type Event =
  | { readonly does: 'walk' | 'restart' | 'read' | 'synchronise' }
  | { readonly does: 'pass'; readonly ms: number }
  /** Someone sets a clock that is not synchronised: anywhere in the past. */
  | { readonly does: 'set'; readonly ms: number }
  | { readonly does: 'reboot'; readonly off: number }
  /** The gateway answers at some part of the time that the unit waits. */
  | { readonly does: 'answer'; readonly waited: number; readonly part: number };

const upTo = (max: number, min = 0) => fc.integer({ min, max });
const does = <Word extends string>(word: Word) => fc.constant(word);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: does('walk') }) },
  { weight: 4, arbitrary: fc.record({ does: does('pass'), ms: fc.oneof(upTo(3_000), upTo(3 * hour)) }) },
  fc.record({ does: fc.constantFrom('restart' as const, 'read' as const, 'synchronise' as const) }),
  fc.record({ does: does('set'), ms: upTo(500 * hour) }),
  /* A machine does not start again within the time of an answer. */
  fc.record({ does: does('reboot'), off: fc.oneof(upTo(60_000, 10_000), upTo(50 * hour, 10_000)) }),
  fc.record({ does: does('answer'), waited: upTo(10_000), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

/** Runs a unit; returns the instants of its crossings as they were, and as they are read at the end. */
async function live(events: readonly Event[]) {
  const folder = await temporaryFolder();
  const walks: number[] = [];
  const firstRead = new Map<number, number>();
  let now = Date.UTC(2026, 0, 1);
  let boot: { id: string; began: number } = { id: randomUUID(), began: now };
  const machine = { error: -400 * hour, synchronised: false };
  const moment = () => monotonicMs(now - boot.began);

  const start = async () => {
    const clock = await UnitClock.start({
      boot: boot.id,
      monotonic: moment,
      wall: () => now + machine.error,
      synchronised: async () => machine.synchronised,
      pollInterval: 1,
      gatewayTimeAfter: 1_000,
      log,
    });
    const journal = await openJournal(folder, { boot: boot.id });
    const stop = determineInstants(journal, clock, log);
    const end = async () => {
      await stop();
      clock.close();
      await journal.close();
    };
    return { clock, journal, end };
  };
  let agent = await start();

  const untilDetermined = async () => {
    const { clock, journal } = agent;
    while (machine.synchronised && !clock.synced) await setTimeout(1);
    while (clock.bootTime && journal.hasUndated) await setImmediate();
  };
  const step = async (one: Event) => {
    const { clock, journal } = agent;
    switch (one.does) {
      case 'walk':
        walks.push(now);
        return journal.append([{ direction: 1, ...clock.instantAt(moment()), moment: moment() }]);
      case 'pass':
        now += one.ms;
        return;
      case 'set':
        if (!machine.synchronised) machine.error = -one.ms;
        return;
      case 'synchronise':
        Object.assign(machine, { error: 0, synchronised: true });
        return;
      case 'answer':
        return clock.receiveGatewayTime(Math.round(now - one.waited * one.part), one.waited);
      case 'read':
        for (const { sequence, at } of crossingsOf(journal)) {
          expect(at).toBe(firstRead.get(sequence) ?? at);
          firstRead.set(sequence, at);
        }
        return;
      case 'reboot':
        await agent.end();
        now += one.off;
        boot = { id: randomUUID(), began: now };
        Object.assign(machine, { error: machine.error - one.off, synchronised: false });
        agent = await start();
        return;
      case 'restart':
        await agent.end();
        agent = await start();
    }
  };
  for (const one of [...events, { does: 'synchronise' }, { does: 'read' }] as const) {
    await step(one);
    await untilDetermined();
  }
  await step({ does: 'read' });
  const read = crossingsOf(agent.journal);
  await agent.end();
  return { walks, read };
}

test('every crossing gets one instant, and its true one is within the uncertainty, whatever happens to the clock', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const { walks, read } = await live(events);
      expect(read.map(({ sequence }) => sequence)).toEqual(walks.map((_, index) => index + 1));
      for (const [index, { at, uncertainty = 0 }] of read.entries())
        expect(Math.abs(at - (walks[index] ?? 0))).toBeLessThanOrEqual(uncertainty + 1);
    }),
    {
      numRuns: 60,
      examples: [
        [
          [
            { does: 'pass', ms: hour },
            { does: 'answer', waited: 0, part: 0 },
            { does: 'walk' },
            { does: 'restart' },
            { does: 'walk' },
            { does: 'reboot', off: 2 * hour },
          ],
        ],
      ],
    },
  );
});
