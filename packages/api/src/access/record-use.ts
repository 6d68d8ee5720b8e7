import { recordCredentialUse } from '@visitor-counter/database/credentials/callers';
import type { Database } from '@visitor-counter/database/sql/connect';

/** Records in the background that a credential was used now. */
export type RecordUse = (credentialId: number) => void;

/** The resolution of the last use (ms): one write in this time, however many requests there are. */
const interval = 60_000;

/** A failed write is not retried: the next use after the interval writes again, and no answer depends on it. */
export function useRecorder(
  database: Database,
  now: () => number,
  onError: (error: unknown) => void,
): RecordUse {
  const notedAt = new Map<number, number>();
  return (credentialId) => {
    const at = now();
    if (at - (notedAt.get(credentialId) ?? Number.NEGATIVE_INFINITY) < interval) return;
    notedAt.set(credentialId, at);
    recordCredentialUse(database.kysely, credentialId, new Date(at)).catch(onError);
  };
}
