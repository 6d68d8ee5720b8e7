import type { DirectionAccuracy } from '@visitor-counter/domain/accuracy';
import type { Crossing } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import { type Author, concerned, recordAudit } from '../audit/audit-log.ts';
import { devicesInStores } from '../devices/list-devices.ts';
import { KeyConflict } from '../entries/entries.ts';
import { requireCrossings } from '../retention/retention.ts';
import { anyOf, type Db, instant, integers, timestamp } from '../sql/query-builder.ts';
import { joinCurrentStore } from '../stores/store-facts.ts';

/**
 * An audit of a door, and its result. Instants are epoch ms. `pending`: the unit has not delivered everything. `removed`: the
 * crossings of that time were removed before, so there will be no result.
 */
export type AuditFacts = Awaited<ReturnType<ReturnType<typeof facts>['executeTakeFirstOrThrow']>>;

interface AuditQuery {
  readonly storeIds: readonly number[];
  readonly deviceId: number | undefined;
  /** Only those with a lower id. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The audits of doors in stores, the last entered first. */
export async function listAudits(
  db: Db,
  { storeIds, deviceId, before, limit }: AuditQuery,
): Promise<AuditFacts[]> {
  return await facts(db)
    .where('audit.storeId', '=', anyOf(storeIds))
    .$if(deviceId !== undefined, (audits) => audits.where('audit.deviceId', '=', deviceId ?? 0))
    .$if(before !== undefined, (audits) => audits.where('audit.id', '<', before ?? 0))
    .orderBy('audit.id', 'desc')
    .limit(limit)
    .execute();
}

export async function findAudit(db: Db, id: number): Promise<AuditFacts> {
  return await facts(db).where('audit.id', '=', id).executeTakeFirstOrThrow();
}

/** The latest audit with a result of each device in its present store, by device id. */
export async function latestResults(
  db: Db,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, AuditFacts>> {
  const latest = sql<number>`(
    select latest.id from unnest(${integers(deviceIds)}) as device (id)
    ${joinCurrentStore()}
    cross join lateral (
      select id from accuracy_audit done
      where done.device_id = device.id and done.store_id = current.store_id and state = 'computed'
      order by last_at desc, id desc limit 1
    ) latest
  )`;
  const audits = await facts(db).where('audit.id', 'in', latest).execute();
  return new Map(audits.map((audit) => [audit.deviceId, audit]));
}

function facts(db: Db) {
  return db
    .selectFrom('accuracyAudit as audit')
    .innerJoin('device', 'device.id', 'audit.deviceId')
    .leftJoin('credential', 'credential.id', 'audit.credentialId')
    .select(['audit.id', 'audit.key', 'audit.deviceId', 'device.serial', 'audit.storeId', 'audit.firstAt'])
    .select(['audit.lastAt', 'audit.enteredBy', 'audit.note', 'audit.enteredAt'])
    .select(['credential.label as credential', 'audit.state', 'audit.lag', 'audit.entries', 'audit.exits'])
    .select([seen('1').as('entriesSeen'), seen('-1').as('exitsSeen')])
    .$narrowType<{
      state: 'pending' | 'computed' | 'removed';
      entries: DirectionAccuracy | null;
      exits: DirectionAccuracy | null;
    }>();
}

/** How many passages of a row of `audit` have a direction. */
function seen(direction: '1' | '-1') {
  return sql<number>`(
    select count(*) from json_array_elements(audit.passages) as passage where passage ->> 1 = ${direction}
  )`;
}

/** What a person saw at a door, and who they are. */
interface NewAudit {
  readonly deviceId: number;
  readonly storeId: number;
  /** An id that the caller has made. */
  readonly key: string;
  /** In order of time, at least one. */
  readonly passages: readonly Crossing[];
  readonly author: Author;
  readonly note: string;
  readonly credentialId: number;
}

/** A device of a company by its serial, and its store at `at` (epoch ms); undefined if there is none. */
export async function auditedDevice(
  db: Db,
  companyId: number,
  serial: string,
  at: number,
): Promise<{ readonly deviceId: number; readonly storeId: number } | undefined> {
  return await devicesInStores(db, instant(at))
    .select(['device.id as deviceId', 'current.storeId'])
    .where('device.companyId', '=', companyId)
    .where('serialKey', '=', nameKey(serial))
    .executeTakeFirst();
}

/**
 * Stores an audit and returns its id, or that of the audit that was stored with its key. Throws KeyConflict if that one has
 * other passages, and CrossingsRemoved for a time before the horizon of the company.
 */
export async function enterAudit(db: Db, audit: NewAudit): Promise<number> {
  const { deviceId, storeId, key, author, note, credentialId } = audit;
  const [firstAt, lastAt] = [audit.passages[0]?.at ?? 0, audit.passages.at(-1)?.at ?? 0];
  const passages = JSON.stringify(audit.passages.map(({ at, direction }) => [at, direction]));
  return await db.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('accuracyAudit')
      .values({
        deviceId,
        storeId,
        key,
        firstAt: instant(firstAt),
        lastAt: instant(lastAt),
        passages,
        enteredBy: author.name,
        note,
        credentialId,
      })
      .onConflict((known) => known.columns(['deviceId', 'key']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted === undefined) return await idOfKey(trx, audit, passages);
    await requireCrossings(trx, { deviceId }, firstAt);
    await recordAudit(trx, author, {
      ...(await concerned(trx, 'device', deviceId)),
      action: 'accuracy audit entered',
      details: {
        audit: inserted.id,
        passages: audit.passages.length,
        from: timestamp(firstAt),
        to: timestamp(lastAt),
        note,
      },
    });
    return inserted.id;
  });
}

/** The id of the audit that was entered with the key of `audit`. Throws KeyConflict. */
async function idOfKey(db: Db, { deviceId, key }: NewAudit, passages: string): Promise<number> {
  const known = await db
    .selectFrom('accuracyAudit')
    .select(['id', 'passages'])
    .where('deviceId', '=', deviceId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (JSON.stringify(known.passages) !== passages)
    throw new KeyConflict('an audit with this key and other passages exists');
  return known.id;
}
