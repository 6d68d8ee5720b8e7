/** Trying again as it is will not help; the message says why. */
export class EnrolmentRefused extends Error {
  override readonly name = 'EnrolmentRefused';
  readonly code: string;

  /** `code`: of the server's problem record, or `other-server`. */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server cannot be reached, or cannot answer now: to be tried again with the same code. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
  readonly code = 'server-away';
}
