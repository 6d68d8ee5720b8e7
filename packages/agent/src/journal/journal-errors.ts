import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';

/** Another process has the journal open. Two writers would give one sequence to two crossings. */
export class JournalInUse extends Error {
  override readonly name = 'JournalInUse';
  readonly code = 'journal-in-use';

  constructor(directory: string) {
    super(`the journal ${directory} is in use by another process: one agent per journal folder`);
  }
}

/**
 * The journal was written for another device. The server would not recognise its acknowledged crossings under this serial
 * number, and would request and count them again.
 */
export class JournalOfAnotherDevice extends Error {
  override readonly name = 'JournalOfAnotherDevice';
  readonly code = 'journal-of-another-device';
  readonly serial: string;

  constructor(directory: string, serial: string) {
    super(`the journal ${directory} is of the device ${serial}`);
    this.serial = serial;
  }
}

/** Nothing more is written to the journal: it is closed, or the content of its folder is unknown until a new start. */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
  readonly code = 'journal-failed';

  constructor(cause: unknown) {
    super(`the journal could not be written: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/**
 * The disk cannot read the id of the journal in a folder, or its last segment. Nothing in the folder has been changed: a
 * later start may be able to read it.
 */
export class JournalUnreadable extends Error {
  override readonly name = 'JournalUnreadable';
  readonly code = 'journal-unreadable';

  constructor(directory: string, what: string, cause: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(
      `the journal ${directory} cannot be read: ${what}${reason}. Nothing was changed, and the next start tries again. ` +
        'If the error remains after the power was off, the memory card is damaged: replace it, or rename the folder to ' +
        'begin a new journal; crossings in the old one that the server has not acknowledged are then not delivered',
      { cause },
    );
  }
}

/** Crossings cannot be stored. The journal is unchanged, and storing is retried. */
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

/** Whether the disk is full, or a quota is exceeded. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error)));
}

/** The error of a failed write as NotStored. */
export function asNotStored(error: unknown): NotStored {
  if (error instanceof NotStored) return error;
  return new NotStored(isDiskFull(error) ? 'full' : 'failed', error);
}

/**
 * Error codes of a failing card or bus, or of a file system that finds its data damaged. Such an error may be transient
 * or permanent. Other errors (too many open files, no permission) are not about the data on the disk.
 */
const diskErrors: ReadonlySet<unknown> = new Set([
  'EIO',
  'ENXIO',
  'EREMOTEIO',
  'ETIMEDOUT',
  'EBADMSG',
  'EUCLEAN',
  'ENODATA',
  'EILSEQ',
  'ENODEV',
  'ENOMEDIUM',
  'ESTALE',
  'ETIME',
]);

/** Linux numbers of errors that libuv has no name for: it reports `Unknown system error -121`. */
const unnamed: ReadonlySet<unknown> = new Set([-121, -117, -74, -61, -62, -116, -123]);

/** Whether a read failed because of the disk. */
export function isDiskError(error: unknown): error is Error {
  if (diskErrors.has(codeOf(error))) return true;
  return error instanceof Error && 'errno' in error && unnamed.has(error.errno);
}

/** The error of a read as JournalUnreadable if the disk failed, else the error itself. */
export function asUnreadable(directory: string, what: string, error: unknown): unknown {
  return isDiskError(error) ? new JournalUnreadable(directory, what, error) : error;
}

/**
 * The error codes of a path that cannot contain a journal, now or at a later start. Errors of a disk that cannot be
 * written now are not listed, because a later start may succeed.
 */
const unusable: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EEXIST', 'EACCES', 'EPERM']);

/** Runs `work` in the folder of a journal. Throws ConfigurationError if the path cannot contain a journal. */
export async function inUsableJournal<Result>(journal: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && unusable.has(codeOf(error)))) throw error;
    const expected = `a folder that this user can make and write (${error.message})`;
    throw new ConfigurationError('journal', journal, expected);
  }
}
