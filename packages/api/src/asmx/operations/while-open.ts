import type { Access } from '../../access/authorize.ts';

/** How long an answer goes on after its credential is revoked, at most (ms). */
const confirmEvery = 3_000;

/** The same batches, as long as the credential opens what it did. Throws `invalid_credential`. */
export async function* whileOpen<Batch>(
  batches: AsyncIterable<Batch>,
  access: Access,
  now: () => number,
): AsyncGenerator<Batch, void> {
  let confirmed = now();
  for await (const batch of batches) {
    if (now() - confirmed >= confirmEvery) {
      await access.confirm();
      confirmed = now();
    }
    yield batch;
  }
}
