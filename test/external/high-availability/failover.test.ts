import { expect, test } from 'vitest';
import type { RunningCompany } from '../restore/running-company.ts';
import { startServedCompany } from './served-company.ts';

/** How often the primary is killed; 20 for the figures of the documentation. */
const kills = Number(process.env['KILLS'] ?? 1);

test('nothing that was acknowledged is lost, and storing resumes, when the primary is killed under load', {
  timeout: 180_000 + kills * 60_000,
}, async () => {
  const { cluster, company } = await startServedCompany();
  /** How long it took until every unit stored again (ms). */
  const pauses: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    await cluster.whole();
    const primary = await cluster.primary();
    const begin = performance.now();
    await primary.killDatabase();
    await untilStoring(company);
    pauses.push(performance.now() - begin);
    primary.startDatabase();
  }
  await cluster.whole();
  await company.healed();
  console.log(`storing resumed after ${pauses.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`);
});

/** Resolves when every unit has had a crossing acknowledged that happened after this call. */
async function untilStoring({ units }: RunningCompany): Promise<void> {
  const begin = Date.now();
  const areStoring = () => units.every(({ acknowledgedUntil = 0 }) => acknowledgedUntil > begin);
  await expect.poll(areStoring).toBe(true);
}
