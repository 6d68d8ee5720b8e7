import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { RunningCompany } from '../restore/running-company.ts';
import { startServedCompany } from './served-company.ts';

/** How often the primary is killed; 20 for the figures of the documentation. */
const kills = Number(process.env['KILLS'] ?? 3);
const patience = { timeout: 90_000, interval: 50 };
const limits = { synchronous: 120_000 + kills * 60_000, asynchronous: 300_000 };

test(
  'nothing that was acknowledged is lost, and storing resumes, when the primary is killed under load again and again',
  async () => {
    const { cluster, company } = await startServedCompany(true);
    /** How long each failure and what followed took, until every unit stored again (ms). */
    const pauses: number[] = [];
    const measure = async (change: () => Promise<void>) => {
      const begin = performance.now();
      await change();
      await untilStoring(company);
      pauses.push(performance.now() - begin);
    };
    for (let kill = 1; kill <= kills; kill += 1) {
      await cluster.whole();
      const primary = await cluster.primary();
      await measure(() => primary.killDatabase());
      primary.startDatabase();
    }
    await cluster.whole();
    const standby = await cluster.awaitedStandby();
    await measure(() => standby.killDatabase());
    standby.startDatabase();
    await cluster.whole();
    const { name } = await cluster.primary();
    await measure(() => cluster.switchOver());
    expect((await cluster.primary()).name).not.toBe(name);
    await company.halt();
    await company.healed();

    const [ofStandby, ofSwitch] = pauses.slice(kills).map(shown);
    console.log(`storing resumed after ${pauses.slice(0, kills).map(shown).join(', ')} s,
      ${ofStandby} s after the loss of the synchronous standby, and ${ofSwitch} s after a switchover`);
    expect(Math.max(...pauses)).toBeLessThan(30_000);
  },
  limits.synchronous,
);

test(
  'units deliver again what an asynchronous failover has lost',
  async () => {
    const { cluster, company } = await startServedCompany(false);
    await company.stored();
    await cluster.whole();
    const primary = await cluster.primary();
    await primary.stallReplication();
    await pause(5_000);
    const acknowledged = company.units.map((unit) => ({ ...unit }));
    await primary.killDatabase();

    const lost = await vi.waitFor(() => missingOf(company, acknowledged), patience);
    const begin = performance.now();
    expect(lost).toBeGreaterThan(0);
    await expect.poll(() => missingOf(company, acknowledged)).toBe(0);
    console.log(`${lost} crossings lost, and back after ${shown(performance.now() - begin)} s`);
    primary.startDatabase();
    await cluster.whole();
    await company.halt();
    await company.healed();
  },
  limits.asynchronous,
);

/** Resolves when every unit has had a crossing acknowledged that happened after this call. */
async function untilStoring({ units }: RunningCompany): Promise<void> {
  const begin = Date.now();
  const areStoring = () => units.every(({ acknowledgedUntil = 0 }) => acknowledgedUntil > begin);
  await expect.poll(areStoring).toBe(true);
}

/** How many of these acknowledged crossings the database lacks. */
async function missingOf(company: RunningCompany, acknowledged: RunningCompany['units']): Promise<number> {
  const stored = new Set((await company.rows()).map(({ serial, sequence }) => `${serial} ${sequence}`));
  return acknowledged
    .flatMap((unit) => Array.from({ length: unit.acknowledged }, (_, index) => `${unit.serial} ${index + 1}`))
    .filter((key) => !stored.has(key)).length;
}

/** Seconds of a time in ms. */
function shown(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
