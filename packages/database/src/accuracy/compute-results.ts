import { type Accuracy, accuracyOf } from '@visitor-counter/domain/accuracy';
import { longestLag, reach } from '@visitor-counter/domain/accuracy-matching';
import type { Direction } from '@visitor-counter/domain/crossing';
import { sql } from 'kysely';
import { completenessOfDevice } from '../devices/completeness.ts';
import { deviceFacts } from '../devices/device-facts.ts';
import { anyOf, type Db, instant } from '../sql/query-builder.ts';

type PendingAudit = Awaited<ReturnType<typeof pendingAudits>>[number];

/**
 * Computes and stores the results of pending audits whose units have delivered everything up to the last passage, and a
 * little longer, because a unit counts a person a moment after they are seen. For audits whose crossings were removed, it
 * stores that there is no result. With `only`, it considers only the audit with this id. Any number of processes may do
 * this: the first result remains.
 */
export async function computeResults(db: Db, now: number, only?: number): Promise<void> {
  const pending = await pendingAudits(db, only);
  if (pending.length === 0) return;
  const untilOf = await deliveredUntil(db, pending, now);
  for (const audit of pending) {
    if (audit.keptFrom > audit.firstAt - longestLag) await storeResult(db, audit.id, undefined);
    else if (untilOf(audit) >= audit.lastAt + reach)
      await storeResult(db, audit.id, await resultOf(db, audit));
  }
}

/** The audits without a result, and from when on the crossings of their companies are kept. */
async function pendingAudits(db: Db, only: number | undefined) {
  return await db
    .selectFrom('accuracyAudit as audit')
    .innerJoin('device', 'device.id', 'audit.deviceId')
    .innerJoin('company', 'company.id', 'device.companyId')
    .select(['audit.id', 'audit.deviceId', 'audit.storeId', 'audit.firstAt', 'audit.lastAt'])
    .select(sql<number>`kept_from(company)`.as('keptFrom'))
    .where('audit.state', '=', 'pending')
    .$if(only !== undefined, (audits) => audits.where('audit.id', '=', only ?? 0))
    .execute();
}

/** Until when (epoch ms) the unit of an audit has delivered everything; a device that was retired delivers nothing more. */
async function deliveredUntil(db: Db, pending: readonly PendingAudit[], now: number) {
  const stores = await db
    .selectFrom('deviceAssignment')
    .select('storeId')
    .distinct()
    .where('deviceId', '=', anyOf(pending.map(({ deviceId }) => deviceId)))
    .execute();
  const since = pending.reduce((earliest, { firstAt }) => Math.min(earliest, firstAt), now);
  const storeIds = stores.map(({ storeId }) => storeId);
  const devices = new Map((await deviceFacts(db, storeIds, now, since)).map((device) => [device.id, device]));
  return ({ deviceId, firstAt }: PendingAudit): number => {
    const device = devices.get(deviceId);
    if (device === undefined) return Number.POSITIVE_INFINITY;
    return completenessOfDevice(device, now, firstAt).completeUntil ?? Number.NEGATIVE_INFINITY;
  };
}

/** More crossings than a door has while a person watches it. This bounds the work, whatever a unit sends. */
const mostCrossings = 5_000;

async function resultOf(db: Db, { id, deviceId, storeId, firstAt, lastAt }: PendingAudit): Promise<Accuracy> {
  const { passages } = await db
    .selectFrom('accuracyAudit')
    .select('passages')
    .where('id', '=', id)
    .$narrowType<{ passages: [at: number, direction: Direction][] }>()
    .executeTakeFirstOrThrow();
  const crossings = await db
    .selectFrom('crossing')
    .select(['at', 'direction'])
    .where('storeId', '=', storeId)
    .where('deviceId', '=', deviceId)
    .where('at', '>=', instant(firstAt - longestLag))
    .where('at', '<=', instant(lastAt + longestLag))
    .orderBy('at')
    .limit(mostCrossings)
    .$narrowType<{ direction: Direction }>()
    .execute();
  return accuracyOf(
    passages.map(([at, direction]) => ({ at, direction })),
    crossings,
  );
}

/** Stores the result of an audit, or that there will be none. */
async function storeResult(db: Db, id: number, result: Accuracy | undefined): Promise<void> {
  await db
    .updateTable('accuracyAudit')
    .set({
      state: result ? 'computed' : 'removed',
      lag: result ? Math.round(result.lag) : null,
      entries: result ? JSON.stringify(result.in) : null,
      exits: result ? JSON.stringify(result.out) : null,
    })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}
