import { recordedMoment } from '../clock/time.ts';
import type { Edge } from './edge.ts';

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
