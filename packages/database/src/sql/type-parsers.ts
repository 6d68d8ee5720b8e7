import { boundedInstant } from '@visitor-counter/domain/time';
import pg from 'pg';

const { DATE, INT8, TIMESTAMPTZ } = pg.types.builtins;

/**
 * How the values of columns are read: timestamptz as epoch ms, bigint as a number (sequences, sums and ids of rows are
 * far below 2^53), date as YYYY-MM-DD, and everything else as the driver reads it.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return readInstant;
    if (oid === INT8) return Number;
    if (oid === DATE) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

const parseDate: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ);

/**
 * Epoch ms within the years that every reader can write. The driver reads `infinity` as a number, and years after
 * 275760 as an invalid Date: one such row would make each answer that contains it fail.
 */
function readInstant(text: string): number {
  const parsed = parseDate(text);
  const instant = parsed instanceof Date ? parsed.getTime() : Number(parsed);
  const outOfRange = text.endsWith('BC') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return boundedInstant(Number.isNaN(instant) ? outOfRange : instant);
}
