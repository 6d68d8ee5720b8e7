import { type Kysely, sql } from 'kysely';
import { currentStore } from '../devices/list-devices.ts';
import { anyOf } from '../sql/arrays.ts';
import { instant } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { Candidates } from './devices-in-trouble.ts';

function storesOf(db: Kysely<DB>, companyIds: readonly number[]) {
  return db
    .selectFrom('store')
    .select(['store.id as storeId', 'store.companyId', 'store.sid', 'store.name'])
    .where('store.companyId', '=', anyOf(companyIds))
    .orderBy('store.id');
}

const recorded = sql<string>`state.heartbeat->>'recorded'`;
const acknowledged = sql<string>`state.heartbeat->>'acknowledged'`;

/**
 * The stores of companies whose crossings may be missing since `cutoff` (epoch ms): those with a device whose last
 * heartbeat is older or reports pending crossings, and those among `known`.
 */
export async function storesInDoubt(db: Kysely<DB>, { companyIds, cutoff, known }: Candidates) {
  return await storesOf(db, companyIds)
    .where((eb) =>
      eb.or([
        eb('store.id', '=', anyOf(known)),
        eb('store.id', 'in', (of) =>
          of
            .selectFrom('device')
            .innerJoin('deviceState as state', 'state.deviceId', 'device.id')
            .innerJoinLateral(currentStore(), (join) => join.onTrue())
            .select('current.storeId')
            .where('device.companyId', '=', anyOf(companyIds))
            .where('device.retiredAt', 'is', null)
            .where((either) =>
              either.or([
                either('state.heartbeatAt', '<=', instant(cutoff)),
                either(recorded, '<>', acknowledged),
              ]),
            ),
        ),
      ]),
    )
    .execute();
}

/** The stores of companies that have a capacity. */
export async function storesWithCapacity(db: Kysely<DB>, companyIds: readonly number[]) {
  return await storesOf(db, companyIds)
    .select(['timeZone', 'dayStartsAt', 'capacity'])
    .where('capacity', 'is not', null)
    .$narrowType<{ capacity: number }>()
    .execute();
}
