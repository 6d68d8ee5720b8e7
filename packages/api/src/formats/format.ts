/**
 * A way to write a list of records as text: `begin`, then the batches, then `end`. It has no state, so that
 * one writes any number of answers at a time.
 */
export interface Format {
  /** The Content-Type of the answer. */
  readonly mediaType: string;
  readonly begin: string;
  /** The text between two batches, neither of them empty. */
  readonly separator: string;
  /** The text of a batch, with separators between its records; empty for an empty batch. */
  records(batch: readonly object[]): string;
  readonly end: string;
}

/** What a format has to know of the records: what one is called, and its fields in the document's order. */
export interface RecordShape {
  readonly name: string;
  readonly fields: readonly string[];
}
