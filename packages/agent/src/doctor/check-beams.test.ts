import { expect, test } from 'vitest';
import { doorView } from '../../test/door-view.ts';
import { statusText } from '../commands/status.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import type { DoorView } from '../local/door-view.ts';
import { Tally } from '../recording/door-reports.ts';
import { checkBeams } from './check-beams.ts';

/** A door with healthy beams through which people have gone, as its running agent shows it. */
function viewAfter(directions: readonly (1 | -1)[]): DoorView {
  const tally = new Tally();
  tally.add(directions.map((direction, at) => ({ at, direction })));
  return {
    ...doorView,
    in: tally.in,
    out: tally.out,
    directionDoubtful: tally.isDirectionDoubtful,
  };
}

const door: DoorConfig = {
  serial: 'CU-1',
  secret: 's',
  journal: 'j',
  detector: {},
  beams: { source: 'gpio', a: { line: 'GPIO17' }, b: { line: 'GPIO27' } },
};

test('doctor and status report that more people went out than in, and what to do', async () => {
  const swapped = viewAfter([...Array.from({ length: 10 }, () => -1 as const), 1, -1]);
  expect((await checkBeams(door, swapped)).at(-1)).toEqual({
    what: 'direction',
    verdict: 'warn',
    detail: 'more people went out (11) than in (1) since the start',
    advice: 'if people came in, the beams are swapped: `agent learn`',
  });
  expect(statusText(swapped)).toContain('run `learn`');

  const right = viewAfter(Array.from({ length: 40 }, (_, index) => (index < 20 ? 1 : -1)));
  expect((await checkBeams(door, right)).map(({ what }) => what)).toEqual(['beam a', 'beam b']);
  expect(statusText(right)).not.toContain('learn');
});

test('doctor and status report a beam that flickers', async () => {
  const view: DoorView = { ...viewAfter([1, -1]), flickering: 'a' };
  expect(await checkBeams(door, view)).toContainEqual(
    expect.objectContaining({
      what: 'flicker',
      verdict: 'fail',
      detail: expect.stringMatching(/^beam a breaks/),
    }),
  );
  expect(statusText(view)).toContain('a beam flickers');
});
