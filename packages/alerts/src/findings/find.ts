import {
  type FindingKind,
  type RuledStore,
  replaceFindings,
  type StoreFinding,
  storesWithRule,
  tryFindingLock,
} from '@visitor-counter/database/alerts/store-findings';
import { requireRestored } from '@visitor-counter/database/crossings/history';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Kysely } from 'kysely';
import { visitorsWhileClosed } from './closed.ts';
import { driftingDoors } from './drift.ts';
import { silentDoors } from './silent.ts';

type Find = (db: Kysely<unknown>, stores: readonly RuledStore[], now: number) => Promise<StoreFinding[]>;

/** Stores that are compared at a time. */
const chunk = 200;

/** Finds, and records for the rules, what the counts of stores show at `now` (epoch ms). One process at a time. */
export async function findUnusual(database: Database, now: number): Promise<void> {
  await record(database, now, 'visitors-while-closed', visitorsWhileClosed);
  await record(database, now, 'silent-while-open', silentDoors);
}

/** The same for what changes from day to day. */
export async function findDrifts(database: Database, now: number): Promise<void> {
  await record(database, now, 'door-drift', driftingDoors);
}

async function record({ kysely }: Database, now: number, kind: FindingKind, find: Find): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await requireRestored(trx);
    if (!(await tryFindingLock(trx))) return;
    const found: StoreFinding[] = [];
    for (let after = 0; ; ) {
      const stores = await storesWithRule(trx, kind, after, chunk);
      if (stores.length === 0) break;
      after = stores.at(-1)?.storeId ?? after;
      found.push(...(await find(trx, stores, now)));
    }
    await replaceFindings(trx, [kind], found);
  });
}
