import { isDatabaseAway } from '../sql/unavailable.ts';
import { AssignmentsChanged } from './assignments-changed.ts';
import { UnknownDevice } from './unknown-device.ts';

/**
 * What an error of `storeMessages` asks for.
 * `again`: at once again; two writers, or a writer and an operator, changed the same, or the database has begun another
 * history, which the next connection finds.
 * `poison`: some message can never be stored; the others can, without it.
 * `later`: the database is away, full, hung, or not as expected; nothing is wrong with the messages.
 */
export type StoringErrorPolicy = 'again' | 'poison' | 'later';

export function storingErrorPolicy(error: unknown): StoringErrorPolicy {
  if (isDatabaseAway(error)) return 'later';
  if (error instanceof UnknownDevice) return 'poison';
  if (error instanceof AssignmentsChanged) return 'again';
  const code = codeOf(error);
  if (code === '40001' || code === '40P01' || isOtherHistory(error)) return 'again';
  return poison.test(code) ? 'poison' : 'later';
}

/** The database is not in the history that the connection knows: what is remembered of it is not true any more. */
export function isOtherHistory(error: unknown): boolean {
  return codeOf(error) === 'VC001';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** SQLSTATE of five characters: data exceptions, integrity violations, values beyond a limit. */
const poison = /^(22|23|54)...$/;
