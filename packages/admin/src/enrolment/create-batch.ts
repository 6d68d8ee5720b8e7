import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { createBatchFile, readBatch } from './batch-file.ts';
import { createEnrolment } from './create-enrolment.ts';

export interface BatchToCreate {
  readonly batch: string;
  readonly out: string | undefined;
  readonly company: string | undefined;
  /** Epoch ms. */
  readonly expires: number;
  /** SHA-256 of the key by which units know the server. */
  readonly serverKeyHash: Uint8Array;
}

/**
 * Makes a code for each card of a batch, all or none, and writes the cards with their codes to a new file that only its
 * owner can read. Returns how many; no code is printed. Throws ConfigurationError, and OperatorError as `createEnrolment`.
 */
export async function createBatch(around: Surroundings, wanted: BatchToCreate): Promise<number> {
  const { batch, out, company, expires, serverKeyHash } = wanted;
  if (out === undefined)
    throw new ConfigurationError('--out', undefined, 'the file for the cards with their codes');
  const cards = await readBatch(resolve(around.folder, batch));
  const path = resolve(around.folder, out);
  await withDatabase(around.env, ({ kysely }) =>
    kysely.transaction().execute(async (trx) => {
      const made: ((typeof cards)[number] & { readonly code: string })[] = [];
      for (const card of cards) {
        const target = { ...(company !== undefined && { company }), ...card };
        const { code } = await createEnrolment(
          { kysely: trx },
          { ...target, uses: card.uses ?? 1, expires },
          serverKeyHash,
        );
        made.push({ ...card, code });
      }
      /* Before the commit: codes that cannot be written must not exist. */
      const file = await createBatchFile(path);
      await file.write(made).finally(() => file.close());
    }),
  );
  return cards.length;
}
