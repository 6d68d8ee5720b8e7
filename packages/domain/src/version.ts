const pattern = /^\d{1,5}\.\d{1,5}\.\d{1,5}$/;

/** Whether a text is a version of the product, `x.y.z`; units may report any text. */
export function isVersion(text: string): boolean {
  return pattern.test(text);
}

/** Negative if `one` is older than `other`, positive if it is newer. Both must be versions. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one.split('.').map(Number), other.split('.').map(Number)];
  const index = left.findIndex((part, at) => part !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
