import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { textLines } from '../async/text-lines.ts';
import { beginOfTime, endOfTime, instantOf, latest, recordedMoment } from '../clock/time.ts';
import type { Edge, Restart } from './beams.ts';

/** A line of an edge trace cannot be read: its number, its text, and the expected format. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code = 'trace';

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/** A first line that names its columns. */
const columnNames = /^[A-Za-z][A-Za-z _,-]*$/;

/** How far out of order the edges of a trace may be (ms). */
const mostDisorder = 50;

/**
 * The edges of a trace (CSV lines `epoch-ms,line,value`, blank lines and a first line of column names
 * allowed), in order of their stamps, in batches and constant memory.
 *
 * Throws TraceError for a line that cannot be read, after returning all edges before it.
 */
export async function* readTrace(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly Edge[], void, undefined> {
  const held: Edge[] = [];
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
        const isHeader = isFirst && columnNames.test(text);
        isFirst = false;
        if (isHeader) continue;
        const edge = parseTraceLine(text, number);
        if (edge.at < newest - mostDisorder) {
          const problem = `edge at ${edge.at} came after one at ${newest}`;
          throw new TraceError(number, `${problem}: expected at most ${mostDisorder} ms of disorder`);
        }
        newest = latest(newest, edge.at);
        held.push(edge);
      }
      const edges = takeUntil(held, newest - mostDisorder);
      if (edges.length > 0) yield edges;
    }
  } catch (error) {
    if (error instanceof TraceError) yield takeUntil(held, endOfTime);
    throw error;
  }
  yield takeUntil(held, endOfTime);
}

/** Removes the edges up to a moment, in order. */
function takeUntil(held: Edge[], end: number): Edge[] {
  held.sort((one, other) => one.at - other.at);
  const later = held.findIndex(({ at }) => at > end);
  return held.splice(0, later === -1 ? held.length : later);
}

/** Lines of a trace; where reading begins, one for each beam. `offset` is the instant of moment 0. */
export function traceLines(events: readonly (Edge | Restart)[], offset: EpochMs): string {
  const line = (at: MonotonicMs, beam: string, broken: boolean) =>
    `${instantOf(at, offset)},${beam},${broken ? 1 : 0}\n`;
  const lines = events.flatMap((event) =>
    'levels' in event
      ? (['a', 'b'] as const).map((beam) => {
          const broken = event.levels[beam];
          return broken === undefined ? '' : line(event.at, beam, broken);
        })
      : line(event.at, event.beam, event.broken),
  );
  return lines.join('');
}

/** The latest instant of a Date; a number represents it exactly. */
const latestInstant = 8.64e15;

/** The edge on a line `epoch-ms,line,value` of a trace. Spaces around a field are ignored. Throws TraceError. */
export function parseTraceLine(text: string, number: number): Edge {
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

function wrong(line: number, field: string, value: string, expected: string): TraceError {
  return new TraceError(line, `${field} is ${quoted(value)}: expected ${expected}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
