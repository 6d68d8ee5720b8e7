/**
 * Error codes of a failing card or bus, or of a file system that finds its data damaged. Such an error may be transient
 * or permanent. Other errors (too many open files, no permission) are not about the data on the disk.
 */
const diskErrors: ReadonlySet<unknown> = new Set([
  ...['EIO', 'ENXIO', 'EREMOTEIO', 'ETIMEDOUT', 'EBADMSG', 'EUCLEAN', 'ENODATA', 'EILSEQ'],
  ...['ENODEV', 'ENOMEDIUM', 'ESTALE', 'ETIME'],
]);

/** Linux numbers of errors that libuv has no name for: it reports `Unknown system error -121`. */
const unnamed: ReadonlySet<unknown> = new Set([-121, -117, -74, -61, -62, -116, -123]);

/** Whether a read failed because of the disk. */
export function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && diskErrors.has(error.code)) return true;
  return 'errno' in error && unnamed.has(error.errno);
}
