import { createReadStream } from 'node:fs';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import { sleepUntil } from '../async/concurrency.ts';
import { textLines } from '../async/text-lines.ts';
import { beginOfTime, latest, monotonicNow, recordedMoment } from '../clock/time.ts';
import type { ReplayBeamsConfig } from '../config/agent-config.ts';
import { type Beams, type Edge, unknownLevels } from './beams.ts';
import { LiveEdges, longestDelay } from './live-edges.ts';

/**
 * Plays a recorded trace with its recorded stamps: as fast as the journal stores crossings or, in real time, with the
 * recorded intervals from now on.
 *
 * After a restart it plays from the beginning again, since the state of the beams at an edge depends on the
 * edges before it. `repeats` prevents journaled crossings from being counted twice.
 */
export class ReplayBeams implements Beams {
  readonly levels = unknownLevels;
  readonly stampClock = 'epoch';
  readonly repeats = true;
  readonly #settings: ReplayBeamsConfig;
  /** The difference (ms) between the moment on CLOCK_MONOTONIC at which an edge is played, and its stamp. */
  #shift: number | undefined;
  #ended = false;

  constructor(settings: ReplayBeamsConfig) {
    this.#settings = settings;
  }

  get live(): boolean {
    return this.#ended;
  }

  now(): MonotonicMs | undefined {
    if (!this.#settings.realTime || this.#shift === undefined) return undefined;
    return recordedMoment(monotonicNow() - this.#shift);
  }

  async *edges(signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for await (const batch of readTrace(createReadStream(this.#settings.file, { highWaterMark: 16_384 }))) {
      if (signal.aborted) return;
      if (!this.#settings.realTime) yield batch;
      else yield* this.#inRealTime(batch, signal);
    }
    this.#ended = true;
  }

  async *#inRealTime(batch: readonly Edge[], signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for (const edge of batch) {
      this.#shift ??= monotonicNow() - edge.at;
      if (!(await sleepUntil(edge.at + this.#shift, monotonicNow, signal))) return;
      yield [edge];
    }
  }
}

/** A line of an edge trace cannot be read: its number, its text, and the expected format. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code = 'trace';

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/**
 * The edges of a trace (CSV lines `epoch-ms,line,value`, blank lines and a first line of column names
 * allowed), in order of their stamps, in batches and constant memory.
 *
 * Throws TraceError for a line that cannot be read, after returning all edges before it.
 */
export async function* readTrace(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly Edge[], void, undefined> {
  const sorted = new LiveEdges();
  let newest = beginOfTime;
  let number = 0;
  let isFirst = true;
  try {
    for await (const lines of textLines(chunks)) {
      for (const line of lines) {
        number += 1;
        /* Also removes a byte order mark. */
        const text = line.trim();
        if (text === '') continue;
        const isHeader = isFirst && isTraceHeader(text);
        isFirst = false;
        if (isHeader) continue;
        const edge = parseTraceLine(text, number);
        if (edge.at < newest - longestDelay) {
          const problem = `edge at ${edge.at} came after one at ${newest}`;
          throw new TraceError(number, `${problem}: expected at most ${longestDelay} ms of disorder`);
        }
        newest = latest(newest, edge.at);
        sorted.add(edge, newest);
      }
      const edges = sorted.release(newest);
      if (edges.length > 0) yield edges;
    }
  } catch (error) {
    if (error instanceof TraceError) yield sorted.flush();
    throw error;
  }
  yield sorted.flush();
}

/** The latest instant of a Date; a number represents it exactly. */
const latestInstant = 8.64e15;

/** The edge on a line `epoch-ms,line,value` of a trace. Spaces around a field are ignored. Throws TraceError. */
function parseTraceLine(text: string, number: number): Edge {
  const fields = text.split(',').map((field) => field.trim());
  const [at = '', line = '', value = ''] = fields;
  if (fields.length !== 3) {
    const problem = `${quoted(text)} has ${fields.length} fields: expected epoch-ms,line,value`;
    throw new TraceError(number, problem);
  }
  if (!/^\d{1,16}$/.test(at) || Number(at) > latestInstant) {
    throw wrong(number, 'epoch-ms', at, 'a whole number of milliseconds since 1970');
  }
  if (line !== 'a' && line !== 'b') throw wrong(number, 'line', line, 'a (street side) or b');
  if (value !== '0' && value !== '1')
    throw wrong(number, 'value', value, '1 (beam broken) or 0 (beam clear)');
  return { at: recordedMoment(Number(at)), beam: line, broken: value === '1' };
}

/** True for a first line that names its columns. */
function isTraceHeader(text: string): boolean {
  const fields = text.split(',').map((field) => field.trim());
  const named = fields.every((field) => /^[A-Za-z][A-Za-z _-]*$/.test(field));
  return fields.length === 3 && named && fields[1] !== 'a' && fields[1] !== 'b';
}

function wrong(line: number, field: string, value: string, expected: string): TraceError {
  return new TraceError(line, `${field} is ${quoted(value)}: expected ${expected}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
