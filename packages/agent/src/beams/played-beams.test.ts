import { instantOfWallClock } from '@visitor-counter/domain/time-zone';
import type { Simulation } from '@visitor-counter/simulation/people';
import { parseTrafficProfile, type TrafficProfile } from '@visitor-counter/simulation/traffic-profile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginOfTime, endOfTime } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { simulatedBeams } from './played-beams.ts';

const day = 86_400_000;

/** All crossings of a simulation in the past, through the real detector. */
async function crossingsOf(simulation: Simulation, resumeAfter?: number) {
  const beams = simulatedBeams(simulation, () => Number.MAX_SAFE_INTEGER);
  const detector = new Detector(undefined, beams.levels);
  const crossings = [];
  for await (const batch of beams.edges(new AbortController().signal, resumeAfter)) {
    crossings.push(...batch.flatMap((edge) => detector.edge(edge)));
  }
  return [...crossings, ...detector.advance(endOfTime)];
}

const profile: fc.Arbitrary<TrafficProfile> = fc.integer({ min: 1, max: 4 }).chain((days) =>
  fc
    .array(
      fc.record({
        day: fc.integer({ min: 0, max: days - 1 }),
        slot: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 47 })),
        in: fc.integer({ min: 0, max: 6 }),
        out: fc.integer({ min: 0, max: 6 }),
      }),
      { minLength: 1, maxLength: 20 },
    )
    .map((rows) => parseTrafficProfile(profileText(days, rows))),
);

interface Row {
  readonly day: number;
  readonly slot: number;
  readonly in: number;
  readonly out: number;
}

function profileText(days: number, rows: readonly Row[]): string {
  const unique = new Map(rows.map((row) => [`${row.day}/${row.slot}`, row]));
  const lines = [...unique.values()].map((row) => {
    const time = `${String(Math.floor(row.slot / 2)).padStart(2, '0')}:${row.slot % 2 ? '30' : '00'}`;
    return `${row.day},${time},${row.in},${row.out}`;
  });
  return `# days: ${days}\n# interval: 30\nday,time,in,out\n${lines.join('\n')}\n`;
}

/** Zones and dates at which clocks change, at night, at midnight, by half an hour, and by a whole day. */
const placeAndTime = fc.constantFrom(
  ['America/Los_Angeles', '2005-10-28'],
  ['Europe/Berlin', '2026-03-27'],
  ['Australia/Lord_Howe', '2026-04-03'],
  ['Australia/Lord_Howe', '2026-10-02'],
  ['America/Havana', '2026-03-06'],
  ['America/St_Johns', '2010-11-05'],
  ['Pacific/Apia', '2011-12-28'],
  ['Asia/Kolkata', '2026-01-01'],
);

const simulations = fc
  .record({ profile, placeAndTime, overlays: fc.subarray([0, 1, 2], { minLength: 1 }) })
  .map(({ profile, placeAndTime: [timeZone = '', startsOn = ''], overlays }): Simulation => {
    const until = instantOfWallClock(`${startsOn}T00:00`, timeZone) + 4.5 * day;
    return { profile, timeZone, startsOn, overlays, until };
  });

/** How many people each half hour should see, counted by hand: key is the instant of its start. */
function expectedCounts({
  profile,
  timeZone,
  startsOn,
  overlays,
}: Simulation): Map<number, [number, number]> {
  const counts = new Map<number, [number, number]>();
  for (let n = 0; n < 8; n += 1) {
    const date = new Date(Date.parse(`${startsOn}T00:00Z`) + n * day).toISOString().slice(0, 10);
    for (const shift of overlays) {
      for (const traffic of profile.traffic.get((n + shift) % profile.days) ?? []) {
        const time = new Date(traffic.minute * 60_000).toISOString().slice(11, 16);
        const start = instantOfWallClock(`${date}T${time}`, timeZone);
        const [entries, exits] = counts.get(start) ?? [0, 0];
        counts.set(start, [entries + traffic.in, exits + traffic.out]);
      }
    }
  }
  return counts;
}

test('detects each person once, strictly in order, inside their half hour, over clock changes', async () => {
  await fc.assert(
    fc.asyncProperty(simulations, async (simulation) => {
      const crossings = await crossingsOf(simulation);
      for (const [index, { at }] of crossings.entries()) {
        expect(at).toBeGreaterThan(crossings[index - 1]?.at ?? 0);
      }
      const expected = expectedCounts(simulation);
      for (const [start, [entries, exits]] of expected) {
        if (start + 1_800_000 > (simulation.until ?? 0)) continue;
        const inside = crossings.filter(({ at }) => at > start && at < start + 1_800_000);
        const others = [...expected.keys()].some(
          (other) => other !== start && Math.abs(other - start) < 1_800_000,
        );
        if (others) continue;
        expect(inside.filter(({ direction }) => direction === 1)).toHaveLength(entries);
        expect(inside.filter(({ direction }) => direction === -1)).toHaveLength(exits);
      }
    }),
    { numRuns: 40 },
  );
});

test('resuming after any crossing continues with exactly the next one', async () => {
  await fc.assert(
    fc.asyncProperty(simulations, fc.double({ min: 0, max: 1, noNaN: true }), async (simulation, where) => {
      const all = await crossingsOf(simulation);
      const last = all[Math.floor(where * (all.length - 1))];
      if (!last) return;
      expect(await crossingsOf(simulation, last.at)).toEqual(all.slice(all.indexOf(last) + 1));
    }),
    { numRuns: 40 },
  );
});

test('loses no person who is between the beams when the clock jumps ahead', async () => {
  const until = Date.parse('2026-01-02T00:00Z');
  const profile = parseTrafficProfile(profileText(1, [{ day: 0, slot: 20, in: 2, out: 1 }]));
  const simulation = { profile, timeZone: 'UTC', startsOn: '2026-01-01', overlays: [0], until };
  const all = await crossingsOf(simulation);
  let offset = (all[0]?.at ?? 0) - 2_000 - performance.now();
  const clock = () => performance.now() + offset;
  const beams = simulatedBeams(simulation, clock);
  const detector = new Detector(undefined, beams.levels);
  const crossings = [];
  for await (const batch of beams.edges(new AbortController().signal)) {
    crossings.push(...batch.flatMap((edge) => detector.edge(edge)));
    offset += day / 2;
    crossings.push(...detector.advance(beams.now() ?? beginOfTime));
  }
  expect([...crossings, ...detector.advance(endOfTime)]).toEqual(all);
});
