/** A way to write records. */
export interface Format {
  /** The Content-Type of the answer. */
  readonly mediaType: string;
  /** Writes batches as they come; the first piece of text follows the first batch. */
  write(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string, void>;
}
