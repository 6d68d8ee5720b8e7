import { codeOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';

/** The content of the database is wrong, or a part of it is missing. What can be read is moved to another one. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  readonly code = 'journal-damaged';

  constructor(what: string, cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    super(`the journal is damaged: ${what}${reason}`, { cause });
  }
}

/** The disk has not read a part of the database, which may be transient. */
export class DiskUnreadable extends Error {
  override readonly name = 'DiskUnreadable';
  readonly code = 'EIO';
}

/** A transaction is in the database, but nobody knows whether it is durable: the disk has reported an error. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt';
  readonly code = 'EIO';

  constructor(cause: unknown) {
    super(`nobody knows what the disk has stored: ${cause}`, { cause });
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

/** Primary result codes of SQLite. */
const sqlite = {
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
};

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
}

function isSqlite(error: unknown, ...codes: number[]): boolean {
  const code = sqliteCode(error);
  return code !== undefined && codes.includes(code & 0xff);
}

/** Whether the content of the database is wrong. A missing table is an `error`, a number can be out of range. */
export function isDamage(error: unknown): boolean {
  if (error instanceof JournalDamaged || codeOf(error) === 'ERR_OUT_OF_RANGE') return true;
  return isSqlite(error, sqlite.corrupt, sqlite.notADatabase, sqlite.error, sqlite.constraint);
}

/** Whether another process has the database open. */
export function isBusy(error: unknown): boolean {
  return isSqlite(error, sqlite.busy);
}

/** Whether the file, or the disk, or the header of the database, does not allow to write it. */
export function isReadOnly(error: unknown): boolean {
  return isSqlite(error, sqlite.readOnly);
}

/** Whether the disk failed to read or open a file, which may be transient. */
export function isDiskError(error: unknown): boolean {
  return isSqlite(error, sqlite.ioError, sqlite.cannotOpen) || codeOf(error) === 'EIO';
}

/** Whether a check of a database has failed to read it: its text then has the code of that error, or no page. */
export function isUnreadable(check: string): boolean {
  const [, code] = /error code=(\d+)/.exec(check) ?? [];
  return check.includes('failed to get page') || (Number(code) & 0xff) === sqlite.ioError;
}

/** Whether the disk is full, a quota is exceeded, or the database has reached its limit. */
export function isFull(error: unknown): boolean {
  return isSqlite(error, sqlite.full) || ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error)));
}

/**
 * The error codes of a path that cannot contain a journal, now or at a later start. Errors of a disk that cannot be
 * written now are not listed, because a later start may succeed.
 */
const unusable: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
]);

/** The ConfigurationError if the path of a journal can never contain one; else the same error. */
export function asUnusable(journal: string, error: unknown): unknown {
  if (!(error instanceof Error && unusable.has(codeOf(error)))) return error;
  const expected = `a folder that this user can make and write (${error.message})`;
  return new ConfigurationError('journal', journal, expected);
}
