/** The free space below which a disk is nearly full; the larger of the two where both are set. */
interface DiskLimit {
  /** Bytes. */
  readonly bytes?: number | undefined;
  /** Of the size of the disk; no effect if the size is unknown. */
  readonly percent?: number | undefined;
}

/** 200 MB are enough for months of crossings, but not for an upgrade of the system and its logs. */
export const defaultDiskLimit = { bytes: 200e6, percent: 5 };

/** Reads a limit such as `500MB`, `2GB` or `10%`; undefined for any other text. */
export function parseDiskLimit(text: string): DiskLimit | undefined {
  const [, digits, unit] = /^(\d{1,6})\s?(MB|GB|%)$/.exec(text) ?? [];
  const number = Number(digits);
  if (digits === undefined || number === 0) return undefined;
  if (unit === '%') return number < 100 ? { percent: number } : undefined;
  return { bytes: number * (unit === 'GB' ? 1e9 : 1e6) };
}

/** Whether a disk is nearly full by the default limit; `false` if its free space is unknown. Both are bytes. */
export function isDiskLow(free: number | undefined, size = 0): boolean {
  const { bytes, percent } = defaultDiskLimit;
  return free !== undefined && free < Math.max(bytes, (size * percent) / 100);
}
