import { composeStretches, emptyStretch, type Stretch } from './occupancy.ts';

/** Something that acts on the occupancy at an instant (epoch ms): a crossing, a correction. */
export interface Act {
  readonly at: number;
  readonly stretch: Stretch;
}

/** What the acts from `from` (epoch ms) until the next part begins do together, and how many they are. */
export interface Part {
  readonly from: number;
  readonly count: number;
  readonly stretch: Stretch;
}

/** A piece of time in parts that follow one another, and behind them the acts that are yet to be folded. */
export interface Parts {
  readonly parts: readonly Part[];
  /** The instant of the latest act (epoch ms), folded or not; -Infinity where there is none. */
  readonly latest: number;
  readonly unfolded?: Unfolded;
}

/** Acts that are in no part: all those at `from` (epoch ms) or later. */
export interface Unfolded {
  readonly from: number;
  readonly count: number;
  /** How many of them have been added since there are any. */
  readonly added: number;
}

export const noParts: Parts = { parts: [], latest: Number.NEGATIVE_INFINITY };

/** A part of fewer acts than this is not worth a boundary. */
const smallPart = 64;

/** What all the parts do, one after the other. */
export function stretchOf({ parts }: Parts): Stretch {
  return parts.map(({ stretch }) => stretch).reduce(composeStretches, emptyStretch);
}

/**
 * Adds acts, in their order, to a piece of time that begins at `start` (epoch ms). Those that lie behind
 * all others are folded at once. Others have to be folded together with the ones behind them, which only
 * their owner has: from the part on in which the first one lies, everything is left unfolded.
 */
export function addActs(before: Parts, start: number, acts: readonly Act[]): Parts {
  const [first] = acts;
  if (first === undefined) return before;
  if (before.unfolded === undefined && first.at > before.latest) return append(before, start, acts);
  const { parts, unfolded } = cutBefore(before, start, first.at);
  return {
    parts,
    latest: Math.max(before.latest, acts.at(-1)?.at ?? start),
    unfolded: {
      from: unfolded.from,
      count: unfolded.count + acts.length,
      added: unfolded.added + acts.length,
    },
  };
}

/**
 * Folds acts that lie behind all others, in their order.
 *
 * A part has at most as many acts as all parts behind it together, or few. So there are few parts, and the
 * k-th act from the end lies in a part that begins about 2k acts before the end: what has to be folded
 * again for a late one depends on how late it is. Acts of one instant are never in two parts.
 */
export function append({ parts: before, latest: last }: Parts, start: number, acts: readonly Act[]): Parts {
  const parts = [...before];
  let latest = last;
  for (const { at, stretch } of acts) {
    const open = parts.at(-1);
    if (open === undefined || (open.count >= smallPart && at > latest)) {
      parts.push({ from: open === undefined ? start : at, count: 1, stretch });
    } else {
      parts[parts.length - 1] = {
        from: open.from,
        count: open.count + 1,
        stretch: composeStretches(open.stretch, stretch),
      };
    }
    latest = at;
  }
  return { parts: joinSmall(parts), latest };
}

function cutBefore({ parts, unfolded }: Parts, start: number, instant: number) {
  const rest = unfolded ?? { from: Number.POSITIVE_INFINITY, count: 0, added: 0 };
  if (instant >= rest.from) return { parts, unfolded: rest };
  const index = Math.max(
    0,
    parts.findLastIndex(({ from }) => from <= instant),
  );
  const cut = parts.slice(index).reduce((sum, { count }) => sum + count, 0);
  const from = parts[index]?.from ?? start;
  return { parts: parts.slice(0, index), unfolded: { ...rest, from, count: rest.count + cut } };
}

function join(first: Part, second: Part): Part {
  return {
    from: first.from,
    count: first.count + second.count,
    stretch: composeStretches(first.stretch, second.stretch),
  };
}

/** From the end backwards, joins neighbours for as long as they are no more than what lies behind them. */
function joinSmall(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let behind = 0;
  for (const part of parts.toReversed()) {
    const next = joined.at(-1);
    if (next !== undefined && part.count + next.count <= Math.max(smallPart, behind)) {
      joined[joined.length - 1] = join(part, next);
    } else {
      behind += next?.count ?? 0;
      joined.push(part);
    }
  }
  return joined.reverse();
}
