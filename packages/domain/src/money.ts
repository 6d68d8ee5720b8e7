/** An amount of money in hundredths, so that sums are exact. */
export type Hundredths = bigint;

const form = /^(-?)(\d{1,12})(?:\.(\d{1,2}))?$/;

/** Reads a decimal number with up to twelve digits before and two after the point; undefined for any other text. */
export function parseMoney(text: string): Hundredths | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const size = BigInt((match[2] ?? '') + (match[3] ?? '').padEnd(2, '0'));
  return match[1] === '-' ? -size : size;
}

/** An amount as a decimal number with two digits after the point. */
export function moneyText(amount: Hundredths): string {
  const size = amount < 0n ? -amount : amount;
  const digits = String(size).padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
