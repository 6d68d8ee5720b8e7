import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { type Person, peopleOf, type Simulation } from '@visitor-counter/simulation/people';
import { sleepUntil } from '../async/concurrency.ts';
import { earliest, endOfTime, monotonicNow, recordedMoment } from '../clock/time.ts';
import type { BeamName, Beams, Edge, Levels } from './beams.ts';
import { unknownLevels } from './beams.ts';

/** The present on the clock of the stamps; `first` is the stamp of the first edge. */
type PlayClock = (first: MonotonicMs) => MonotonicMs;

type Batches = AsyncIterable<readonly Edge[]> | Iterable<readonly Edge[]>;

/** Plays edges: those of the past as fast as the caller reads them, those of the present each at its moment. */
export class PlayedBeams implements Beams {
  readonly stampClock = 'epoch';
  readonly levels: Levels;
  readonly repeats: boolean;
  readonly #batches: (resumeAfter?: EpochMs) => Batches;
  readonly #clock: PlayClock;
  /** The stamp of the next edge. */
  #next = endOfTime;
  live = false;

  constructor(
    batches: (resumeAfter?: EpochMs) => Batches,
    levels: Levels,
    repeats: boolean,
    clock: PlayClock,
  ) {
    this.#batches = batches;
    this.levels = levels;
    this.repeats = repeats;
    this.#clock = clock;
  }

  /** At most the stamp of the next edge, which a clock that jumps ahead, or a process that stalls, would pass. */
  now(): MonotonicMs | undefined {
    return this.live ? earliest(this.#clock(this.#next), this.#next) : undefined;
  }

  async *edges(signal: AbortSignal, resumeAfter?: EpochMs): AsyncGenerator<readonly Edge[]> {
    for await (const batch of this.#batches(resumeAfter)) {
      if (signal.aborted) return;
      for (let played = 0; played < batch.length; ) {
        const { at } = batch[played] ?? { at: endOfTime };
        const now = this.#clock(at);
        const future = batch.findIndex((edge, index) => index >= played && edge.at > now);
        const end = future === -1 ? batch.length : future;
        if (end > played) {
          yield batch.slice(played, end);
          played = end;
          continue;
        }
        this.#next = at;
        this.live = true;
        if (!(await sleepUntil(at, () => this.#clock(at), signal))) return;
      }
    }
    this.live = true;
    this.#next = endOfTime;
  }
}

/**
 * Plays a traffic profile in local time, until the simulation ends, if it has an end.
 *
 * Every person makes exactly one crossing, at the instant of their last edge, and no two people share an instant. So the
 * last journaled crossing determines who comes next.
 */
export function simulatedBeams(simulation: Simulation, clock: () => number = Date.now): PlayedBeams {
  const batches = (resumeAfter?: EpochMs) => edgesOf(simulation, resumeAfter);
  return new PlayedBeams(batches, { a: false, b: false }, false, () => recordedMoment(clock()));
}

function* edgesOf(simulation: Simulation, resumeAfter?: EpochMs): Generator<readonly Edge[]> {
  for (const people of peopleOf(simulation, resumeAfter)) yield people.flatMap(edgesOfPerson);
}

function edgesOfPerson({ direction, times: [enters, reaches, leaves, clears] }: Person): Edge[] {
  const first: BeamName = direction === 1 ? 'a' : 'b';
  const second: BeamName = direction === 1 ? 'b' : 'a';
  return [
    { at: recordedMoment(enters), beam: first, broken: true },
    { at: recordedMoment(reaches), beam: second, broken: true },
    { at: recordedMoment(leaves), beam: first, broken: false },
    { at: recordedMoment(clears), beam: second, broken: false },
  ];
}

/**
 * Plays a trace as fast as the journal stores crossings or, in real time, with the recorded intervals from now on.
 *
 * After a restart it plays from the beginning again, since the state of the beams at an edge depends on the edges before it.
 * `repeats` prevents journaled crossings from being counted twice.
 */
export function replayedBeams(trace: () => AsyncIterable<readonly Edge[]>, realTime: boolean): PlayedBeams {
  let shift: number | undefined;
  const sinceFirst = (first: MonotonicMs) => {
    shift ??= monotonicNow() - first;
    return recordedMoment(monotonicNow() - shift);
  };
  return new PlayedBeams(trace, unknownLevels, true, realTime ? sinceFirst : () => endOfTime);
}
