import { readFileSync } from 'node:fs';
import { seededRandom } from '@visitor-counter/simulation/random';
import { parseTrafficProfile } from '@visitor-counter/simulation/traffic-profile';
import { recordingFile } from '@visitor-counter/test/recording';
import { expect, test } from 'vitest';
import { drawScene, kinds } from '../../test/draw-scene.ts';
import { playScene } from '../../test/walking-bodies.ts';
import type { BeamName, Edge } from '../beams/beams.ts';
import { simulatedBeams } from '../beams/played-beams.ts';
import { monotonicMs } from '../clock/time.ts';
import { Detector } from './detector.ts';
import type { Flickering } from './flicker.ts';

const minute = 60_000;

/** The edges of people of all kinds for some minutes, on average one each `every` ms. */
function people(seed: number, minutes: number, every: number): Edge[] {
  const random = seededRandom(seed);
  const edges: Edge[] = [];
  for (let at = 1_000; at < minutes * minute; ) {
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'walks';
    const played = playScene(drawScene(kind, random), at);
    edges.push(...played.edges);
    at = played.end + 2 * random() * every;
  }
  return edges;
}

/** The edges if a light breaks a beam `hertz` times a second for half of the time, in addition to people. */
function withFlicker(edges: readonly Edge[], beam: BeamName, hertz: number, minutes: number): Edge[] {
  const half = 500 / hertz;
  const flicker = Array.from({ length: (minutes * minute) / half }, (_, index): Edge => {
    return { at: monotonicMs(Math.floor(index * half)), beam, broken: index % 2 === 0 };
  });
  let byPerson = false;
  let byLight = false;
  const light = new Set(flicker);
  const all = [...edges, ...flicker].toSorted((one, other) => one.at - other.at);
  return all.flatMap((edge) => {
    if (edge.beam !== beam) return [edge];
    const before = byPerson || byLight;
    if (light.has(edge)) byLight = edge.broken;
    else byPerson = edge.broken;
    const broken = byPerson || byLight;
    return broken === before ? [] : [{ ...edge, broken }];
  });
}

/** What the detector says after each of the edges. */
function judged(edges: readonly Edge[]): Set<Flickering | undefined> {
  const detector = new Detector({}, { a: false, b: false });
  return new Set(
    edges.map((edge) => {
      detector.edge(edge);
      return detector.flickering;
    }),
  );
}

test.each([0.2, 2, 20, 50])('reports a beam that flickers with %d Hz while people pass', (hertz) => {
  for (const [seed, beam] of (['a', 'b'] as const).entries())
    expect(judged(withFlicker(people(seed, 25, 20_000), beam, hertz, 25))).toEqual(
      new Set([undefined, beam]),
    );
});

test.each([2_000, 10_000])('reports nothing about people of all kinds, one in %d ms', (every) => {
  for (let seed = 0; seed < 2; seed += 1)
    expect(judged(people(seed, 21, every))).toEqual(new Set([undefined]));
});

test('reports nothing over the recording, even if sixteen days of it pass at the same time', async () => {
  const profile = parseTrafficProfile(readFileSync(recordingFile, 'utf8'));
  const overlays = Array.from({ length: 16 }, (_, day) => day);
  const until = Date.parse('2005-08-10');
  const recording = { profile, timeZone: 'America/Los_Angeles', startsOn: '2005-07-24', overlays, until };
  const beams = simulatedBeams(recording, () => until);
  const detector = new Detector({}, beams.levels);
  const reported = new Set<Flickering | undefined>();
  for await (const edges of beams.edges(new AbortController().signal)) {
    for (const edge of edges) {
      detector.edge(edge);
      reported.add(detector.flickering);
    }
  }
  expect([...reported]).toEqual([undefined]);
  expect(detector.beams.a?.breaks).toBeGreaterThan(10_000);
});
