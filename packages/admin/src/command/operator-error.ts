/** A command that cannot be executed; the message tells the operator the reason and a way out. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function unknownCompany(name: string): OperatorError {
  return new OperatorError('unknown-company', `there is no company ${JSON.stringify(name)}`);
}

export function unknownDevice(serial: string): OperatorError {
  return new OperatorError('unknown-device', `there is no device ${JSON.stringify(serial)}`);
}
