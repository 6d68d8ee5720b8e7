/** RFC 9457 problem details, as every error of the interface is written. */
export interface ProblemRecord {
  readonly type: string;
  readonly title: string;
  /** Equal to the HTTP status of the answer. */
  readonly status: number;
  /** Stable; what a program should look at. */
  readonly code: string;
  readonly detail: string;
  /** The parameter, in the document's spelling, that the problem is about. */
  readonly parameter?: string;
}

/** An error that is an answer: what the caller may know, and nothing else. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly record: ProblemRecord;
  readonly headers: Readonly<Record<string, string>>;

  constructor(facts: Omit<ProblemRecord, 'type'>, headers: Readonly<Record<string, string>> = {}) {
    super(facts.detail);
    this.code = facts.code;
    this.record = { type: `urn:visitor-counter:problem:${facts.code}`, ...facts };
    this.headers = headers;
  }
}
