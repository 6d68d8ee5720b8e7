import { isDatabaseAway } from '../away.ts';
import { AssignmentsChanged } from './assignments-changed.ts';
import { UnknownDevice } from './unknown-device.ts';

/**
 * What an error of `storeMessages` asks for.
 * `again`: two writers, or a writer and an operator, were in each other's way; at once again.
 * `poison`: some message can never be stored; the others can, without it.
 * `later`: the database is away, full, hung, or not as expected; nothing is wrong with the messages.
 */
export type StoringErrorPolicy = 'again' | 'poison' | 'later';

export function storingErrorPolicy(error: unknown): StoringErrorPolicy {
  if (isDatabaseAway(error)) return 'later';
  if (error instanceof UnknownDevice) return 'poison';
  if (error instanceof AssignmentsChanged) return 'again';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '40001' || code === '40P01') return 'again';
  return poison.test(code) ? 'poison' : 'later';
}

/** SQLSTATE of five characters: data exceptions, integrity violations, values beyond a limit. */
const poison = /^(22|23|54)...$/;
