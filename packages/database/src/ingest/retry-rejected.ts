import { replaceRejected } from '../rejected/replace-rejected.ts';
import type { MessageToStore, StoreReport } from './store-messages.ts';
import { storeMessages } from './store-messages.ts';
import type { StoringConnection } from './storing-connection.ts';
import { againAtOnce, storingErrorPolicy } from './storing-error.ts';

/** What became of a rejected message that was tried again. */
export interface Retried {
  /** Crossings that are new in the table. */
  readonly stored: number;
  /** Crossings that were there already. */
  readonly duplicates: number;
  /** Why the rest is still rejected; empty when the message is gone. */
  readonly reasons: readonly string[];
}

/**
 * Stores what can be stored of a kept message, by the path that all crossings take, and in the same
 * transaction puts what is still rejected in its place. Throws when the database is away or refuses the
 * message; then nothing has changed.
 */
export async function retryRejected(
  connection: StoringConnection,
  id: string,
  message: MessageToStore,
): Promise<Retried> {
  return againAtOnce(async () => {
    let reasons: readonly string[] = [];
    let report: StoreReport | undefined;
    await connection.use(
      (client, memory) =>
        storeMessages(client, memory, [message], {
          keep: (_, left) => {
            reasons = [...new Set(left.map(({ reason }) => reason))];
            return replaceRejected(client, id, left);
          },
          onCommitted: (committed) => {
            report = committed;
          },
        }),
      (error) => storingErrorPolicy(error) !== 'later',
    );
    return { stored: report?.stored ?? 0, duplicates: report?.duplicates ?? 0, reasons };
  });
}
