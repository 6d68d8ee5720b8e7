import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { type Person, peopleOf, type Simulation } from '@visitor-counter/simulation/people';
import { sleepUntil } from '../async/concurrency.ts';
import { earliest, endOfTime, recordedMoment } from '../clock/time.ts';
import type { BeamName, Beams, Edge, Levels } from './beams.ts';

/**
 * Plays a traffic profile in local time, until the simulation ends, if it has an end. The past is played as fast as the
 * caller reads it, a day in each batch; the present edge by edge, each at its instant.
 *
 * Every person makes exactly one crossing, at the instant of their last edge, and no two people share an instant. So the
 * last journaled crossing determines who comes next.
 */
export class SimulatedBeams implements Beams {
  readonly levels: Levels = { a: false, b: false };
  readonly stampClock = 'epoch';
  readonly repeats = false;
  readonly #simulation: Simulation;
  readonly #clock: () => EpochMs;
  readonly #resumeAfter: EpochMs | undefined;
  #live = false;
  /** The stamp of the next edge. */
  #next = endOfTime;

  constructor(simulation: Simulation, resumeAfter?: EpochMs, clock: () => EpochMs = Date.now) {
    this.#simulation = simulation;
    this.#clock = clock;
    this.#resumeAfter = resumeAfter;
  }

  get live(): boolean {
    return this.#live;
  }

  /** At most the stamp of the next edge, which a clock that jumps ahead, or a process that stalls, would pass. */
  now(): MonotonicMs | undefined {
    return this.#live ? earliest(recordedMoment(this.#clock()), this.#next) : undefined;
  }

  async *edges(signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for (const people of peopleOf(this.#simulation, this.#resumeAfter)) {
      if (signal.aborted) return;
      const started = this.#clock();
      const present = people.findIndex(({ times }) => times[3] > started);
      const past = present === -1 ? people : people.slice(0, present);
      if (past.length > 0) yield past.flatMap(edgesOf);
      for (const person of people.slice(past.length)) yield* this.#asTheirTimeComes(person, signal);
    }
    this.#live = true;
    this.#next = endOfTime;
  }

  async *#asTheirTimeComes(person: Person, signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for (const edge of edgesOf(person)) {
      this.#next = edge.at;
      this.#live ||= edge.at > this.#clock();
      if (!(await sleepUntil(edge.at, this.#clock, signal))) return;
      yield [edge];
    }
  }
}

/** The four edges of a person. */
function edgesOf({ direction, times: [enters, reaches, leaves, clears] }: Person): Edge[] {
  const first: BeamName = direction === 1 ? 'a' : 'b';
  const second: BeamName = direction === 1 ? 'b' : 'a';
  return [
    { at: recordedMoment(enters), beam: first, broken: true },
    { at: recordedMoment(reaches), beam: second, broken: true },
    { at: recordedMoment(leaves), beam: first, broken: false },
    { at: recordedMoment(clears), beam: second, broken: false },
  ];
}
