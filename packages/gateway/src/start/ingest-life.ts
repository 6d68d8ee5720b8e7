import { noteIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import type { Database } from '@visitor-counter/database/sql/connect';

/** Well within the time after which nobody seems to listen to units (ms). */
const interval = 2_000;

/** Tells in the database, until it is stopped and while `isStoring`, that this gateway can store what it hears. */
export function tellIngestLife(
  pool: Database['pool'],
  isStoring: () => boolean,
  onError: (error: unknown) => void,
): { stop: () => void } {
  let telling = false;
  const tell = () => {
    if (telling || !isStoring()) return;
    telling = true;
    noteIngestLife(pool)
      .catch(onError)
      .finally(() => {
        telling = false;
      });
  };
  tell();
  const timer = setInterval(tell, interval);
  return { stop: () => clearInterval(timer) };
}
