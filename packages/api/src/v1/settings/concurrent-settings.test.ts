import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

/** Two requests that each give other fields of one thing arrive at the same time, many times. */
async function together(path: string, first: (n: number) => object, second: (n: number) => object) {
  const { seed, companyId, ask } = await berlinStore();
  await seed.credential({ companyId, kind: 'staff', value: 'office-token', settings: true });
  await seed.query(
    `insert into mail_report (company_id, name, period, recipients, language)
     values ($1, 'all', 'daily', '{a@b.example}', 'en')`,
    [companyId],
  );
  const put = (body: object) =>
    ask(path, 'office-token', {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  for (let n = 1; n <= 10; n += 1) {
    const answers = await Promise.all([put(first(n)), put(second(n))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
  return seed;
}

test('two requests that change other settings of a store at the same time both have an effect', async () => {
  const plan = (n: number) => ({
    since: `2026-11-${10 + n}`,
    week: { monday: [{ at: '08:45', people: n }] },
  });
  const seed = await together(
    '/v1/stores/S-1/settings',
    (n) => ({ capacity: n, staff: plan(n) }),
    (n) => ({ openingHours: { week: { monday: [`09:00-${10 + n}:00`] } } }),
  );
  const [store] = await seed.query(`select * from store where sid = 'S-1'`);
  expect(store).toMatchObject({
    capacity: 10,
    opening_hours: { week: { monday: ['09:00-20:00'] } },
    staff_plans: expect.arrayContaining([plan(1), plan(10)]),
  });
});
