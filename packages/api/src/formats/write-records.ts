import { EventColumns, LatestEvents } from './event-columns.ts';
import { eventWriter, writeLatest } from './event-writer.ts';
import type { Format } from './format.ts';

/** Some records of an answer. */
export type Batch = readonly object[] | EventColumns | LatestEvents;

/** A piece of an answer. Bytes are valid until the next but one is requested. */
export type Piece = string | Uint8Array;

/** Writes batches as they come; the first piece follows the first batch, and no piece is empty. */
export async function* writeRecords(
  format: Format,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Piece, void> {
  const writeEvents = eventWriter(format);
  let before = format.begin;
  let between = '';
  for await (const batch of batches) {
    if (batch.length === 0) {
      if (before !== '') yield before;
    } else if (batch instanceof EventColumns) {
      if (before + between !== '') yield before + between;
      yield* writeEvents(batch);
    } else if (batch instanceof LatestEvents) {
      if (before + between !== '') yield before + between;
      yield writeLatest(format, batch);
    } else {
      yield before + between + format.records(batch);
    }
    before = '';
    if (batch.length > 0) between = format.separator;
  }
  yield before + format.end;
}
