/** A setting cannot be used. The message names it, its value and the expected values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'configuration';
  readonly setting: string;

  constructor(setting: string, value: string | undefined, expected: string) {
    super(
      value === undefined
        ? `${setting} is not set: expected ${expected}`
        : `${setting} is ${JSON.stringify(value)}: expected ${expected}`,
    );
    this.setting = setting;
  }
}
