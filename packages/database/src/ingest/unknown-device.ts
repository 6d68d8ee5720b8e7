/** A device is no longer in the database; trying again does not help. */
export class UnknownDevice extends Error {
  override readonly name = 'UnknownDevice';
  readonly code = 'unknown-device';

  constructor(deviceId: number) {
    super(`device ${deviceId} is not in the database`);
  }
}
