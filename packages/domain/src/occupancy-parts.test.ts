import fc from 'fast-check';
import { expect, test } from 'vitest';
import { correctionStretch, crossingStretch, occupancyAtEnd, type Stretch } from './occupancy.ts';
import { type Act, addActs, append, noParts, type Parts, stretchOf } from './occupancy-parts.ts';

const stretch = fc.oneof(
  { weight: 99, arbitrary: fc.constantFrom<Stretch>(crossingStretch(1), crossingStretch(-1)) },
  { weight: 1, arbitrary: fc.nat(20).map((people): Stretch => correctionStretch(people)) },
);
const act: fc.Arbitrary<Act> = fc.record({ at: fc.nat(899), stretch });
const batches = fc.array(fc.record({ acts: fc.array(act, { maxLength: 120 }), fold: fc.boolean() }), {
  maxLength: 12,
  size: 'max',
});

const inOrder = (acts: readonly Act[]) => acts.toSorted((a, b) => a.at - b.at);
const oneByOne = (acts: readonly Act[]) => acts.map((one) => one.stretch).reduce(occupancyAtEnd, 0);

/** What a reader makes of a state: the parts, and then the acts that are in none. */
function occupancyOf(state: Parts, all: readonly Act[]): number {
  const rest = all.filter(({ at }) => at >= (state.unfolded?.from ?? Number.POSITIVE_INFINITY));
  return [stretchOf(state), ...rest.map((one) => one.stretch)].reduce(occupancyAtEnd, 0);
}

test('is right after acts in any order, in any batches, folded at any time', () => {
  fc.assert(
    fc.property(batches, (given) => {
      let state = noParts;
      let all: Act[] = [];
      for (const { acts, fold } of given) {
        all = inOrder([...all, ...acts]);
        state = addActs(state, 0, inOrder(acts));
        const from = state.unfolded?.from;
        if (fold && from !== undefined) {
          const rest = all.filter(({ at }) => at >= from);
          state = append({ parts: state.parts, latest: Number.NEGATIVE_INFINITY }, from, rest);
          expect(state.unfolded).toBeUndefined();
        }
        expect(occupancyOf(state, all)).toBe(oneByOne(all));
        expect(state.latest).toBe(all.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
      }
    }),
  );
});

test('leaves to be folded again not much more than twice what lies behind a late act', () => {
  let state = noParts;
  const entries = Array.from({ length: 50_000 }, (_, at) => ({ at, stretch: crossingStretch(1) }));
  for (let start = 0; start < entries.length; start += 7) {
    state = append(state, 0, entries.slice(start, start + 7));
  }
  expect(state.parts.length).toBeLessThan(30);

  for (const behind of [0, 1, 10, 100, 1_000, 10_000, 49_999]) {
    const { unfolded } = addActs(state, 0, [{ at: 49_999 - behind, stretch: crossingStretch(-1) }]);
    expect(unfolded?.count).toBeGreaterThan(behind);
    expect(unfolded?.count).toBeLessThan(2 * behind + 140);
  }
});

test('never parts acts of one instant, whose order only all of them together have', () => {
  const sameInstant = Array.from({ length: 1_000 }, () => ({ at: 5, stretch: crossingStretch(1) }));
  const state = append(noParts, 0, sameInstant);
  expect(state.parts).toHaveLength(1);
  expect(addActs(state, 0, [{ at: 5, stretch: crossingStretch(1) }]).unfolded).toMatchObject({
    from: 0,
    count: 1_001,
  });
});
