import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';

/** Crossings cannot be stored. Nothing that is journaled is touched; it is tried again. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
  readonly code = 'not-stored';
  readonly problem: StorageProblem;

  constructor(problem: StorageProblem, cause?: unknown) {
    const detail = cause instanceof Error ? `: ${cause.message}` : '';
    super(`${texts[problem]}${detail}`, { cause });
    this.problem = problem;
  }
}

const texts: Readonly<Record<StorageProblem, string>> = {
  full: 'the disk is full',
  limit: 'the journal has reached its size limit',
  failed: 'the disk cannot be written',
};

/** Full, or over a quota. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Whether the system reports that there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && fullCodes.has(error.code);
}

/** The error of a failed write as NotStored. */
export function asNotStored(error: unknown): NotStored {
  if (error instanceof NotStored) return error;
  return new NotStored(isDiskFull(error) ? 'full' : 'failed', error);
}
