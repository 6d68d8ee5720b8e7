import type { Seed } from '@visitor-counter/test/seed';
import { apiUnderTest, type TestOptions } from './api-under-test.ts';

export type OneStore = Awaited<ReturnType<typeof oneStore>>;

export const token = 'acme-counts-token';
export const lifeSignalKey = 'acme-life-signal-key';
/** What every count operation is called with. */
export const credentials = { CompanyName: 'Acme', Token: token };

/** A company "Acme" with one store, one door, and the credentials `acme-counts-token` and `acme-life-signal-key`. */
export async function oneStore(options: TestOptions & StoreOptions & { databaseUrl?: string } = {}) {
  const api = await apiUnderTest(options);
  return { ...api, ...(await seedOneStore(api.seed, options)) };
}

/** What the store of a test is like. */
interface StoreOptions {
  readonly timeZone?: string;
  readonly dayStartsAt?: string;
}

/** Inserts the company with its store. */
export async function seedOneStore(
  seed: Seed,
  { timeZone = 'Europe/Berlin', dayStartsAt = '00:00' }: StoreOptions = {},
) {
  const companyId = await seed.company('Acme');
  const storeId = await seed.store({ companyId, sid: 'S-1', name: 'Main Door', timeZone, dayStartsAt });
  const deviceId = await seed.device({ companyId, storeId, serial: 'CU-0001' });
  await seed.credential({ companyId, kind: 'counts', value: token });
  await seed.credential({ companyId, kind: 'life-signal', value: lifeSignalKey });
  await seed.shopGroup(companyId, 'West', [storeId]);
  const journalId = await seed.journal(deviceId, 'journal-a');
  return { companyId, storeId, deviceId, journalId };
}

/** Seeds crossings of the one door, numbered in the order given: an instant as ISO 8601, +1 or -1. */
export async function cross(
  { seed, storeId, deviceId, journalId }: OneStore,
  crossings: readonly (readonly [at: string, direction: 1 | -1])[],
): Promise<void> {
  await seed.crossings(
    crossings.map(([at, direction], index) => ({
      journalId,
      deviceId,
      storeId,
      direction,
      at: Date.parse(at),
      sequence: index + 1,
    })),
  );
}
