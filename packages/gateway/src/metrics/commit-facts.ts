/** What one group commit was like. */
export interface CommitFacts {
  readonly messages: number;
  /** Crossings received and not committed yet. */
  readonly crossings: number;
  /** How long the transaction took, with what had to be done again in it (ms). */
  readonly took: number;
  /** From the arrival of its oldest message to its commit (ms). */
  readonly oldest: number;
}

/** What waits for a transaction or is in one. */
export interface Load {
  readonly messages: number;
  readonly crossings: number;
  /** What it takes in memory, by estimate. */
  readonly bytes: number;
}
