import { saveStore } from '@visitor-counter/database/configuration/store';
import { currentPlan, staffPlansOf } from '@visitor-counter/database/stores/hours-and-staff';
import { connected } from '@visitor-counter/test/connected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

async function threeStores() {
  const url = await testDatabase();
  const rows = seed(url);
  const { kysely } = connected(url);
  const companyId = await rows.company('Acme');
  const storeIds: number[] = [];
  for (const sid of ['a', 'b', 'c']) storeIds.push(await rows.store({ companyId, sid }));
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'staff' });
  const save = (sid: string, given: Omit<Parameters<typeof saveStore>[2], 'sid'>) =>
    saveStore(kysely, { id: companyId, name: 'Acme' }, { sid, ...given }, Date.parse('2026-11-23T12:00:00Z'));
  return { kysely, save, storeIds, credentialId };
}

test('keeps the staff plan of earlier days when another one is set or ended', async () => {
  const { kysely, save, storeIds } = await threeStores();
  const [a = 0, b = 0] = storeIds;
  const plan = (since: string, people: number) => ({ since, week: { monday: [{ at: '08:45', people }] } });
  const plans = async () => (await staffPlansOf(kysely, storeIds)).get(a) ?? [];
  await save('b', { staff: null });
  for (const one of [plan('2026-11-02', 4), plan('2026-11-30', 5), plan('2026-11-16', 6)])
    await save('a', { staff: one });
  expect(await plans()).toEqual([plan('2026-11-02', 4), plan('2026-11-16', 6)]);
  expect(currentPlan(await plans())).toEqual(plan('2026-11-16', 6));

  await save('a', { staff: null });
  expect(await plans()).toEqual([
    plan('2026-11-02', 4),
    plan('2026-11-16', 6),
    { since: '2026-11-23', week: {} },
  ]);
  expect(currentPlan(await plans())).toBeNull();
  expect((await staffPlansOf(kysely, storeIds)).has(b)).toBe(false);
});
