/** A target did not accept a message; it is sent again later. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly code: 'unreachable' | 'refused' | 'not-configured';

  constructor(code: DeliveryError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
