/**
 * What the system reports where a card or its bus fails, or the file system finds its data damaged. Such an error may
 * pass, and may stay. Other errors (too many open files, no permission) say nothing about what the disk holds.
 */
const diskErrors: ReadonlySet<unknown> = new Set([
  ...['EIO', 'ENXIO', 'EREMOTEIO', 'ETIMEDOUT', 'EBADMSG', 'EUCLEAN', 'ENODATA', 'EILSEQ'],
  ...['ENODEV', 'ENOMEDIUM', 'ESTALE', 'ETIME'],
]);

/** Linux numbers of those for which libuv has no name: its errors then read `Unknown system error -121`. */
const unnamed: ReadonlySet<unknown> = new Set([-121, -117, -74, -61, -62, -116, -123]);

/** Whether a read failed because of the disk. */
export function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && diskErrors.has(error.code)) return true;
  return 'errno' in error && unnamed.has(error.errno);
}
