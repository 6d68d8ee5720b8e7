import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore, token } from '../../test/one-store.ts';

/** An api, and what it answers to readers of today's number, of the stores and of the crossings. */
async function restoredApi() {
  const { port, seed } = await oneStore();
  const headers = { authorization: `Bearer ${token}` };
  const body = new URLSearchParams(credentials);
  const answers = async () => {
    const base = `http://127.0.0.1:${port}`;
    const today = `${base}/public/Service.asmx/GetAllCountsByCompanyForTodayPublic`;
    return await Promise.all([
      answerTo(today, { method: 'POST', body }),
      answerTo(`${base}/v1/stores`, { headers }),
      answerTo(`${base}/v1/occupancy`, { headers }),
      answerTo(`${base}/v1/crossings`, { headers }),
    ]);
  };
  const codes = async () => (await answers()).map(({ status, body }) => [status, Object(body).code]);
  return { seed, codes };
}

const unavailable = Array.from({ length: 4 }, () => [503, 'database_unavailable']);
const answered = Array.from({ length: 4 }, () => [200, undefined]);

test('answers 503 while a restore has dropped tables and functions', async () => {
  const { seed, codes } = await restoredApi();
  expect(await codes()).toEqual(answered);
  await seed.query('drop schema public cascade');
  expect(await codes()).toEqual(unavailable);
});

test('rejects no credential, and returns no partial stores, before a restore has added the keys', async () => {
  const { seed, codes } = await restoredApi();
  await seed.query('alter table journal drop constraint journal_device_id_fkey');
  expect(await codes()).toEqual(unavailable);
  await seed.query('delete from credential');
  expect(await codes()).toEqual(unavailable);
  await seed.query('alter table journal add foreign key (device_id) references device');
  expect((await codes()).map(([status]) => status)).toEqual([400, 401, 401, 401]);
});
