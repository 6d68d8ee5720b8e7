/** Another process has the journal open. Two writers would give one sequence to two crossings. */
export class JournalInUse extends Error {
  override readonly name = 'JournalInUse';
  readonly code = 'journal-in-use';

  constructor(directory: string) {
    super(`the journal ${directory} is in use by another process: one agent per journal folder`);
  }
}

/** Nothing more is written to the journal: it is closed, or what its folder holds now is unknown until a new start. */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
  readonly code = 'journal-failed';

  constructor(cause: unknown) {
    super(`the journal could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * The disk cannot read the id of the journal in a folder, or the instants of its crossings. Nothing in the folder has
 * been changed: a later start may be able to read it.
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
