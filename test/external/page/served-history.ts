import type { Seed, SeedCrossing } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { openPage } from './open-page.ts';
import { staffToken } from './served-page.ts';

export interface Crossing {
  /** Epoch ms. */
  readonly at: number;
  readonly direction: 1 | -1;
}

export interface SeededHistory {
  readonly sid: string;
  readonly name: string;
  readonly timeZone: string;
  readonly crossings: Crossing[];
}

/** A zone in which it is between noon and one o'clock, so that a test has hours of today before and after it. */
export function zoneOfNoon(now = Date.now()): string {
  const offset = 12 - new Date(now).getUTCHours();
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/**
 * A company with these stores, one door called Front in each, and an api that serves the page, for the tests of a file. The
 * unit of each door has delivered everything.
 */
export function historyForTests(stores: readonly SeededHistory[]) {
  const journals = new Map<string, Omit<SeedCrossing, 'at' | 'direction' | 'sequence'>>();
  const cross = async (rows: Seed, sid: string, crossings: readonly Crossing[], delivered: number) => {
    const of = journals.get(sid);
    if (of === undefined) throw new Error(`no store ${sid}`);
    await rows.crossings(
      crossings.map((crossing, index) => ({ ...of, ...crossing, sequence: delivered + index + 1 })),
    );
    const report = { at: Date.now(), journal: 'j', recorded: delivered + crossings.length };
    await rows.query(
      `update device_state set heartbeat_at = now(), last_activity_at = now(), online = true, heartbeat = $2
       where device_id = $1`,
      [of.deviceId, JSON.stringify({ ...report, acknowledged: report.recorded, clock: 'synced' })],
    );
  };
  const served = startedOnce(async (atEnd) => {
    const { rows, databaseUrl, pageUrl } = await openPage(atEnd);
    const companyId = await rows.company('Acme');
    await rows.credential({ companyId, kind: 'staff', value: staffToken, settings: true });
    for (const { sid, name, timeZone } of stores) {
      const storeId = await rows.store({ companyId, sid, name, timeZone });
      const deviceId = await rows.device({
        companyId,
        storeId,
        serial: `CU-${sid}`,
        lastActivityAt: Date.now(),
      });
      await rows.query(`update device set name = 'Front' where id = $1`, [deviceId]);
      journals.set(sid, { storeId, deviceId, journalId: await rows.journal(deviceId, 'j') });
    }
    for (const { sid, crossings } of stores) await cross(rows, sid, crossings, 0);
    return { rows, databaseUrl, pageUrl };
  });
  return {
    served,
    /** Lets people of the past arrive now: the store's unit delivers them late. */
    deliverLate: async (sid: string, late: readonly Crossing[]) => {
      const store = stores.find((one) => one.sid === sid);
      await cross(served().rows, sid, late, store?.crossings.length ?? 0);
      store?.crossings.push(...late);
    },
  };
}
