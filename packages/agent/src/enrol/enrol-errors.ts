/** The enrolment is refused; a retry without a change fails again. The message says why. */
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
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
  readonly code = 'server-unavailable';
}
