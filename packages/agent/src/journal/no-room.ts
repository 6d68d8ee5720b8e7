/** Why there is no room for another crossing: the disk is full, or the journal is as large as it may be. */
export type NoRoomReason = 'disk' | 'limit';

/** A crossing found no room. Nothing that is journaled is touched; it is tried again. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly code = 'no-room';
  readonly reason: NoRoomReason;

  constructor(reason: NoRoomReason, cause?: unknown) {
    super(reason === 'disk' ? 'the disk is full' : 'the journal is as large as it may be', { cause });
    this.reason = reason;
  }
}

/** Full, or over a quota. A disk that has room again goes on as if nothing had been. */
const full: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** The error as NoRoom where that is what the system says. */
export function asNoRoom(error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && full.has(error.code);
  return isFull ? new NoRoom('disk', error) : error;
}
