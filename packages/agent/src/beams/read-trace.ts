import { textLines } from '../async/text-lines.ts';
import type { Edge } from './edge.ts';
import { EdgeSorter, EdgeTooLate } from './edge-sorter.ts';
import { isTraceHeader, parseTraceLine, TraceError } from './trace-line.ts';

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
