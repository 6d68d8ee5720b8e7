import type { MonotonicMs } from '@visitor-counter/domain/time';
import { textLines } from '../async/text-lines.ts';
import { beginOfTime, latest, recordedMoment } from '../clock/time.ts';
import type { Edge } from './beams.ts';

/**
 * The edges of a trace (CSV lines `epoch-ms,line,value`, blank lines and a first line of column names
 * allowed), in order of their stamps, in batches and constant memory.
 *
 * Throws TraceError for a line that cannot be read, after returning all edges before it.
 */
export async function* readTrace(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly Edge[], void, undefined> {
  const trace = new TraceReader();
  for await (const lines of textLines(chunks)) {
    const edges = trace.take(lines);
    if (edges.length > 0) yield edges;
    if (trace.failure) break;
  }
  yield trace.rest();
  if (trace.failure) throw trace.failure;
}

class TraceReader {
  readonly #sorter = new EdgeSorter();
  #number = 0;
  #begun = false;
  failure: TraceError | undefined;

  take(lines: readonly string[]): Edge[] {
    const edges: Edge[] = [];
    try {
      for (const line of lines) edges.push(...this.#takeLine(line));
    } catch (error) {
      this.failure = asTraceError(error, this.#number);
    }
    return edges;
  }

  rest(): readonly Edge[] {
    return this.#sorter.flush();
  }

  #takeLine(line: string): readonly Edge[] {
    this.#number += 1;
    const text = this.#number === 1 ? line.replace(/^\uFEFF/, '') : line;
    if (text.trim() === '') return [];
    const first = !this.#begun;
    this.#begun = true;
    if (first && isTraceHeader(text)) return [];
    const edge = parseTraceLine(text, this.#number);
    return edge ? this.#sorter.add(edge) : [];
  }
}

function asTraceError(error: unknown, line: number): TraceError {
  if (error instanceof TraceError) return error;
  if (error instanceof EdgeTooLate) return new TraceError(line, error.message, { cause: error });
  throw error;
}

/** A line of an edge trace cannot be read: its number, its text, and the expected format. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code = 'trace';
  readonly line: number;

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`line ${line}: ${problem}`, options);
    this.line = line;
  }
}

/** The latest instant of a Date; a number represents it exactly. */
const latestInstant = 8.64e15;

/**
 * The edge on a line `epoch-ms,line,value` of a trace; undefined for a blank line. Spaces around a field
 * are ignored. Throws TraceError.
 */
export function parseTraceLine(text: string, number: number): Edge | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const fields = trimmed.split(',').map((field) => field.trim());
  const [at = '', line = '', value = ''] = fields;
  if (fields.length !== 3) {
    throw new TraceError(
      number,
      `${quoted(trimmed)} has ${fields.length} fields: expected epoch-ms,line,value`,
    );
  }
  if (!/^\d{1,16}$/.test(at) || Number(at) > latestInstant) {
    throw wrong(number, 'epoch-ms', at, 'a whole number of milliseconds since 1970');
  }
  if (line !== 'a' && line !== 'b') throw wrong(number, 'line', line, 'a (street side) or b');
  if (value !== '0' && value !== '1')
    throw wrong(number, 'value', value, '1 (beam broken) or 0 (beam clear)');
  return { at: recordedMoment(Number(at)), line, broken: value === '1' };
}

/** True for a first line that names its columns. */
export function isTraceHeader(text: string): boolean {
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

/** How late an edge may come (ms): after a stall, the kernel's events arrive out of order across lines. */
export const longestDisorder = 50;

/** An edge came more than `longestDisorder` after a later one. */
export class EdgeTooLate extends Error {
  override readonly name = 'EdgeTooLate';
  readonly code = 'edge-too-late';

  constructor(edge: Edge, newest: MonotonicMs) {
    super(
      `edge at ${edge.at} came after one at ${newest}: expected at most ${longestDisorder} ms of disorder`,
    );
  }
}

/** Sorts edges by their stamps; edges with the same stamp stay in the order in which they arrived. */
export class EdgeSorter {
  #held: Edge[] = [];
  #newest = beginOfTime;

  /** Adds an edge, and returns those that no later edge can precede. Throws EdgeTooLate. */
  add(edge: Edge): readonly Edge[] {
    if (edge.at < this.#newest - longestDisorder) throw new EdgeTooLate(edge, this.#newest);
    this.#newest = latest(this.#newest, edge.at);
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.at ?? 0) > edge.at) place -= 1;
    this.#held.splice(place, 0, edge);
    const horizon = this.#newest - longestDisorder;
    const certain = this.#held.findIndex(({ at }) => at >= horizon);
    return certain <= 0 ? [] : this.#held.splice(0, certain);
  }

  /** The edges that are left, at the end of the input. */
  flush(): readonly Edge[] {
    return this.#held.splice(0);
  }
}
