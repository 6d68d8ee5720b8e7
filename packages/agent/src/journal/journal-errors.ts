/** Another process has the journal open. Two writers would give one sequence to two crossings. */
export class JournalInUse extends Error {
  override readonly name = 'JournalInUse';
  readonly code = 'journal-in-use';

  constructor(directory: string) {
    super(`the journal ${directory} is in use by another process: one agent per journal folder`);
  }
}

/**
 * The journal could not be written. What the file holds now is unknown, also to the kernel's cache, so
 * nothing more is written until a new start has repaired it.
 */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
  readonly code = 'journal-failed';

  constructor(cause: unknown) {
    super(`the journal could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
