import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';
import { routes } from '../routes.ts';

/** An api with a caller who may do everything but send sales. */
async function office() {
  const { seed, companyId, ask } = await berlinStore();
  await seed.credential({ companyId, kind: 'staff', value: 'office-token', settings: true });
  return (method: string, path: string, body?: object) =>
    ask(path.replace(':sid', 'S-1').replace(':id', '1'), 'office-token', {
      method,
      headers: { 'x-requested-with': 'test', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
}

test('refuses an unknown parameter in the query of every path, and names the nearest one', async () => {
  const send = await office();
  for (const { method, path } of routes) {
    const answer = await send(method, `${path}?storre=S-1`);
    expect.soft(answer.body, `${method} ${path}`).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter: 'storre',
    });
  }
  const details = {
    '/v1/occupancy?storre=S-1': expect.stringContaining('storre is unknown. Known are store, '),
    '/v1/counts?From=2026-11-20': expect.stringContaining('From is unknown. Known are '),
    '/v1/session?format=csv': 'format is unknown. None is known here.',
    '/v1/stores?store=S-1&format=csv': expect.stringContaining('store is unknown.'),
  };
  for (const [path, detail] of Object.entries(details))
    expect((await send('GET', path)).body).toMatchObject({ code: 'invalid_parameter', detail });
});

test('refuses an unknown field in every JSON body, also within items, and names those that it knows', async () => {
  const send = await office();
  const withBody = routes.filter(({ body, rawBody }) => body ?? rawBody?.json);
  expect(withBody.length).toBeGreaterThan(10);
  for (const { method, path } of withBody) {
    /* Units of later versions may send more. */
    if (path === '/v1/enrolment') continue;
    const answer = await send(method, path, { storre: 'S-1', items: [], passages: [] });
    expect.soft(answer.body, `${method} ${path}`).toMatchObject({ status: 400, code: 'invalid_parameter' });
    const named = ['storre', 'items', 'passages'];
    expect.soft(named, `${method} ${path}`).toContain(Object(answer.body).parameter);
  }
  const nested = [
    ['/v1/sales', { items: [{ store: 'S-1' }, { ammount: 1 }] }, 'items[1].ammount', 'amount'],
    ['/v1/audits', { passages: [{ att: 'x' }] }, 'passages[0].att', 'at'],
    ['/v1/corrections', { store: 'S-1', peple: 4, by: 'Kim' }, 'peple', 'people'],
  ] as const;
  for (const [path, body, parameter, known] of nested)
    expect((await send('POST', path, body)).body).toMatchObject({
      parameter,
      detail: expect.stringMatching(new RegExp(`Known are .*\\b${known}\\b`)),
    });
});
