import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import { apiUnderTest } from './api-under-test.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const names = ['A', 'B', 'C'];
export const kinds = ['counts', 'life-signal', 'staff', 'sales'] as const;

/** A store, and all texts by which an answer would reveal it. */
export interface Place {
  readonly name: string;
  readonly sid: string;
  readonly serial: string;
  readonly group: string;
  /** The id of a correction there. */
  readonly correction: number;
  readonly marks: readonly string[];
}

export const places: readonly Place[] = names.map((name, index) => ({
  name,
  sid: `sid-${name}`,
  serial: `CU-${name}`,
  group: `Group of ${name}`,
  correction: index + 1,
  marks: [`sid-${name}`, `Store of ${name}`, `CU-${name}`, `Group of ${name}`, `Kim of ${name}`],
}));

/** Choices of some of the stores that leave others out. */
const storesSeen: readonly (readonly string[])[] = [['A'], ['B', 'C'], ['A', 'B']];

/** A credential, or the cookie of a session, as a caller sends it. */
export interface SentCredential {
  readonly kind: CredentialKind | 'session';
  /** As the parameter Token. */
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const staffOf = { everybody: 'staff of everybody' };

export function tokenOf(kind: CredentialKind, seen: readonly string[]): string {
  return `${kind} of ${seen.join(' and ')}`;
}

/**
 * A company of three stores, each with a door, a group of its own, people, and a correction; a device that moved
 * from the first store to the second; and credentials of every kind for some choices of stores.
 */
export async function limitedWorld() {
  const api = await apiUnderTest({ now: () => now });
  const { seed } = api;
  const companyId = await seed.company('Acme');
  const storeIds: number[] = [];
  const registeredAt = now - 100 * 3_600_000;
  for (const { name, sid, serial, group } of places) {
    const storeId = await seed.store({ companyId, sid, name: `Store of ${name}` });
    storeIds.push(storeId);
    await seed.shopGroup(companyId, group, [storeId]);
    const deviceId = await seed.device({ companyId, storeId, serial, registeredAt });
    await cross(seed, deviceId, [storeId]);
    await seed.query(
      `insert into entry (kind, store_id, at, people, entered_by) values ('correction', $1, $2, 5, $3)`,
      [storeId, new Date(now - 1_000), `Kim of ${name}`],
    );
    await seed.query(
      `insert into accuracy_audit (device_id, store_id, key, first_at, last_at, passages, entered_by)
       values ($1, $2, 'a', $3, $3, '[[1, 1]]', $4)`,
      [deviceId, storeId, new Date(now - 1_000), `Kim of ${name}`],
    );
    await seed.query(`insert into sale values ($1, $2, $3, 1, 1)`, [
      storeId,
      `sale of ${name}`,
      new Date(now),
    ]);
  }
  await seed.query(
    `insert into alert (company_id, kind, subject, store_id, device_id, about, began_at)
     select company_id, 'beam-blocked', id, store_id, id, json_build_object('beam', serial), now()
     from device join device_assignment on device_id = id`,
  );
  await seed.shopGroup(companyId, 'Everybody', storeIds);
  const [first = 0, second = 0] = storeIds;
  const moved = await seed.device({ companyId, storeId: first, serial: 'moved', registeredAt });
  await seed.move(moved, second, now - 3_000);
  await cross(seed, moved, [first, second]);
  await seed.credential({ companyId, kind: 'staff', value: staffOf.everybody });
  for (const seen of storesSeen) {
    for (const kind of kinds) {
      const id = await seed.credential({ companyId, kind, value: tokenOf(kind, seen) });
      await seed.limit(
        id,
        seen.flatMap((name) => storeIds[names.indexOf(name)] ?? []),
      );
    }
  }
  await seed.query(`update credential set may_configure = true where kind = 'staff'`);
  await seed.query(
    `insert into mail_report (company_id, name, period, recipients, language, store_ids)
     values ($1, 'Report on sid-A sid-B sid-C', 'daily', '{a@b.example}', 'en', '{}')`,
    [companyId],
  );
  const base = `http://127.0.0.1:${api.port}`;
  return { base, seed, credentialsOf: (seen: readonly string[]) => credentialsOf(base, seen) };
}

/** One person an hour ago, in each of the stores one after another. */
async function cross(
  seed: Awaited<ReturnType<typeof apiUnderTest>>['seed'],
  deviceId: number,
  storeIds: readonly number[],
): Promise<void> {
  const journalId = await seed.journal(deviceId, 'j');
  await seed.crossings(
    storeIds.map((storeId, index) => ({
      journalId,
      deviceId,
      storeId,
      direction: 1 as const,
      sequence: index + 1,
      at: now - 3_600_000 + index,
    })),
  );
}

/** The credentials of a choice of stores, and a session of the staff credential. */
async function credentialsOf(base: string, seen: readonly string[]): Promise<SentCredential[]> {
  const credentials = kinds.map((kind): SentCredential => {
    const token = tokenOf(kind, seen);
    return { kind, token, headers: { authorization: `Bearer ${token}` } };
  });
  const token = tokenOf('staff', seen);
  const signedIn = await fetch(`${base}/v1/session`, {
    method: 'POST',
    body: JSON.stringify({ token }),
    headers: { 'content-type': 'application/json', 'x-requested-with': 'test' },
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  return [...credentials, { kind: 'session', token, headers: { cookie } }];
}
