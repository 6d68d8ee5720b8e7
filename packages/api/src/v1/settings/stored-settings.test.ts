import { saveStore } from '@visitor-counter/database/configuration/store';
import { enterEntry, findEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { connect } from '@visitor-counter/database/sql/connect';
import {
  currentPlan,
  openingHoursOf,
  staffOf,
  staffPlansOf,
} from '@visitor-counter/database/stores/hours-and-staff';
import { kim } from '@visitor-counter/test/author';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

async function threeStores() {
  const url = await testDatabase();
  const rows = seed(url);
  const { kysely, close } = connect(url, { applicationName: 'test' });
  onTestFinished(close);
  const companyId = await rows.company('Acme');
  const storeIds: number[] = [];
  for (const sid of ['a', 'b', 'c']) storeIds.push(await rows.store({ companyId, sid }));
  const credentialId = await rows.credential({ companyId, kind: 'staff', value: 'staff' });
  const save = (sid: string, given: Omit<Parameters<typeof saveStore>[2], 'sid'>) =>
    saveStore(kysely, { id: companyId, name: 'Acme' }, { sid, ...given }, Date.parse('2026-11-23T12:00:00Z'));
  return { kysely, save, storeIds, credentialId };
}

test('reads the opening hours of stores; a store without a row is always open', async () => {
  const { kysely, save, storeIds } = await threeStores();
  const [a = 0, b = 0] = storeIds;
  const hours = { week: { monday: ['09:00-18:00'] }, exceptions: [{ date: '2026-12-25', open: [] }] };
  await save('a', { openingHours: { week: {}, exceptions: [] } });
  for (const sid of ['a', 'b']) await save(sid, { openingHours: hours });

  const found = await openingHoursOf(kysely, storeIds);

  expect([...found]).toEqual([
    [a, hours],
    [b, hours],
  ]);
  expect(found.get(a)).toBe(found.get(b));
  await save('a', { openingHours: null });
  expect([...(await openingHoursOf(kysely, storeIds)).keys()]).toEqual([b]);
});

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

test('enters a staff passage once for each key, and undoes it once', async () => {
  const { kysely, storeIds, credentialId } = await threeStores();
  const [a = 0] = storeIds;
  const at = Date.parse('2026-11-23T08:45:00Z');
  const enter = (key: string | undefined, people: number) =>
    enterEntry(kysely, 'passage', { storeId: a, at, people, author: kim, credentialId, key });
  const id = await enter('one', 2);
  expect(await enter('one', 2)).toBe(id);
  await expect(enter('one', 3)).rejects.toThrow('other content');
  await enter(undefined, 1);
  await enter(undefined, 1);

  const staff = async () =>
    (await staffOf(kysely, storeIds, at, at + 1)).get(a)?.passages.map((p) => p.people);
  expect(await staff()).toEqual([2, 1, 1]);
  const passage = await findEntry(kysely, 'passage', storeIds, id);
  expect(passage && (await undoEntry(kysely, 'passage', passage, { author: kim, credentialId }))).toBe(true);
  expect(passage && (await undoEntry(kysely, 'passage', passage, { author: kim, credentialId }))).toBe(false);
  expect(await staff()).toEqual([1, 1]);
  expect(await staffOf(kysely, storeIds, at + 1, at + 2)).toEqual(new Map());
});
