export type GpioFault =
  | 'gpio-tools-missing'
  | 'gpio-chip-missing'
  | 'gpio-permission'
  | 'gpio-line-missing'
  | 'gpio-line-busy'
  | 'gpio-kernel-too-new'
  | 'gpio-setting'
  | 'gpio-output'
  | 'gpio-stopped';

/** The GPIO lines cannot be used; the message says what to do. Every fault may pass, so callers retry. */
export class GpioError extends Error {
  override readonly name = 'GpioError';
  readonly code: GpioFault;

  constructor(code: GpioFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
