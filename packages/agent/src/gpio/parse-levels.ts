import { GpioError } from './gpio-error.ts';

/** The levels that `gpioget` prints: one digit per line, such as `1 0`. Throws GpioError. */
export function parseLevels(text: string, lines: number): boolean[] {
  const digits = text.trim().split(/\s+/);
  if (digits.length !== lines || !digits.every((digit) => digit === '0' || digit === '1')) {
    throw new GpioError('gpio-output', `gpioget printed ${JSON.stringify(text)}: expected ${lines} levels`);
  }
  return digits.map((digit) => digit === '1');
}
