import { codeOf } from '@visitor-counter/service/errors';
import { isDatabaseUnavailable } from '../sql/unavailable.ts';

/**
 * What to do after an error of `storeMessages`.
 * `again`: store again immediately; two writers, or a writer and an operator, changed the same rows.
 * `reject`: one of the messages can never be stored; the others can be stored without it.
 * `later`: the database is unavailable, full, hung, or not as expected; the messages are not the cause.
 */
type StoringErrorPolicy = 'again' | 'reject' | 'later';

export function storingErrorPolicy(error: unknown): StoringErrorPolicy {
  if (isDatabaseUnavailable(error)) return 'later';
  if (error instanceof UnknownDevice) return 'reject';
  const code = codeOf(error);
  if (code === '40001' || code === '40P01') return 'again';
  return unstorable.test(String(code)) ? 'reject' : 'later';
}

/** SQLSTATE of five characters: data exceptions, integrity violations, statements beyond a limit. */
const unstorable = /^(22|23|54)...$/;

/** A device is no longer in the database; a retry does not help. */
export class UnknownDevice extends Error {
  override readonly name = 'UnknownDevice';
  readonly code = 'unknown-device';

  constructor(deviceId: number) {
    super(`device ${deviceId} is not in the database`);
  }
}

/** Attempts to store while other writers change the same rows. */
const attempts = 5;

/** Stores, and stores again when two writers changed the same rows. Throws the error of the last attempt. */
export async function retryOnConflict<Result>(store: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store();
    } catch (error) {
      if (attempt === attempts || storingErrorPolicy(error) !== 'again') throw error;
    }
  }
}
