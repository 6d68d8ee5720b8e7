import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

async function withSettings() {
  const world = await berlinStore();
  const { seed, companyId } = world;
  await seed.query('update credential set may_configure = true where kind = $1', ['staff']);
  const limited = await seed.credential({ companyId, kind: 'staff', value: 'limited-token' });
  await seed.query('update credential set may_configure = true where id = $1', [limited]);
  await seed.limit(limited, [world.storeId]);
  const call = (method: string, path: string, body?: unknown, credential = 'staff-token') =>
    world.ask(`/v1/mail-reports${path}`, credential, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
  return { ...world, call };
}

const daily = { name: ' Every day ', period: 'daily', recipients: ['ann@acme.example', 'ANN@acme.example '] };

test('adds, changes and removes reports', async () => {
  const { call, seed } = await withSettings();
  const added = await call('POST', '', daily);
  expect([added.status, added.body]).toEqual([
    201,
    {
      id: 1,
      name: 'Every day',
      period: 'daily',
      recipients: ['ANN@acme.example'],
      language: 'en',
      hour: null,
      group: null,
      stores: null,
      enabled: true,
      lastSentAt: null,
      problem: null,
      test: null,
    },
  ]);
  const [since] = await seed.query('select since from mail_report');
  const changed = await call('PUT', '/1', { stores: ['S-1', 'S-1'], language: 'sl', name: 'Shop 1' });
  expect(changed.body).toMatchObject({
    id: 1,
    name: 'Shop 1',
    stores: ['S-1'],
    language: 'sl',
    period: 'daily',
  });
  expect((await call('PUT', '/1', { group: 'west' })).body).toMatchObject({ group: 'West', stores: null });
  expect((await call('PUT', '/1', { group: '', stores: '' })).body).toMatchObject({ group: 'West' });
  expect((await call('PUT', '/1', { group: null })).body).toMatchObject({ group: null, stores: null });
  expect((await call('PUT', '/1', { hour: 7 })).body).toMatchObject({ hour: 7, group: null });
  expect((await call('PUT', '/1', { name: 'Shop 1' })).body).toMatchObject({ hour: 7 });
  expect((await call('PUT', '/1', { hour: null })).body).toMatchObject({ hour: null });
  expect(await seed.query('select since from mail_report')).toEqual([since]);
  expect((await call('PUT', '/1', { enabled: false })).body).toMatchObject({ enabled: false });
  await call('PUT', '/1', { enabled: true });
  expect(await seed.query('select since from mail_report')).not.toEqual([since]);
  expect(Object((await call('GET', '')).body).items).toHaveLength(1);
  expect((await call('DELETE', '/1')).status).toBe(200);
  expect(Object((await call('GET', '')).body).items).toEqual([]);
});

test('names the field of a report that cannot be used', async () => {
  const { call } = await withSettings();
  await call('POST', '', daily);
  const wrong: readonly (readonly [object, string])[] = [
    [{ ...daily, name: 'Every day' }, 'name'],
    [{ ...daily, name: '\u0007' }, 'name'],
    [{ ...daily, name: 'b', recipients: ['ann@acme.example\r\nBcc: all@acme.example'] }, 'recipients[0]'],
    [{ ...daily, name: 'b', recipients: [] }, 'recipients'],
    [{ ...daily, name: 'b', recipients: 'ann@acme.example' }, 'recipients'],
    [{ ...daily, name: 'b', period: 'yearly' }, 'period'],
    [{ ...daily, name: 'b', language: 'fr' }, 'language'],
    [{ ...daily, name: 'b', hour: 24 }, 'hour'],
    [{ ...daily, name: 'b', stores: [] }, 'stores'],
    [{ ...daily, name: 'b', stores: ['S-1'], group: 'West' }, 'stores'],
  ];
  for (const [body, parameter] of wrong)
    expect((await call('POST', '', body)).body).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter,
    });
  expect((await call('POST', '', { ...daily, name: 'b', stores: ['S-9'] })).body).toMatchObject({
    code: 'unknown_store',
  });
  expect((await call('POST', '', { ...daily, name: 'b', group: 'East' })).body).toMatchObject({
    code: 'unknown_group',
  });
  expect((await call('PUT', '/9', {})).body).toMatchObject({ status: 404, code: 'unknown_report' });
  expect((await call('DELETE', '/x')).body).toMatchObject({ status: 404, code: 'unknown_report' });
});

test('needs the right to change settings, for all stores', async () => {
  const { call, seed } = await withSettings();
  expect((await call('GET', '', undefined, 'limited-token')).status).toBe(403);
  expect((await call('GET', '', undefined, 'acme-counts-token')).status).toBe(403);
  await seed.query('update credential set may_configure = false');
  expect((await call('POST', '', daily)).status).toBe(403);
});

test('shows the mail of the last period, and queues a test of it', async () => {
  const { call, seed } = await withSettings();
  await call('POST', '', { ...daily, language: 'de' });

  const preview = await call('GET', '/1/preview');
  expect(preview.status).toBe(200);
  expect(preview.headers.get('content-type')).toContain('text/html');
  expect(preview.headers.get('content-security-policy')).toContain('sandbox');
  expect(preview.text).toContain('Donnerstag, 19. November 2026');

  const queued = await call('POST', '/1/test', { to: ' bo@acme.example' });
  expect([queued.status, queued.body]).toMatchObject([202, { test: { sentAt: null, problem: null } }]);
  await call('POST', '/1/test', { to: 'bo@acme.example' });
  expect(await seed.query('select kind, last_date::text, test_to from outbox')).toEqual([
    { kind: 'test', last_date: '2026-11-19', test_to: 'bo@acme.example' },
  ]);
  expect((await call('POST', '/1/test', { to: 'bo' })).body).toMatchObject({ parameter: 'to' });
  expect((await call('POST', '/9/test', { to: 'bo@acme.example' })).status).toBe(404);
  expect((await call('GET', '/9/preview')).status).toBe(404);
});

test('says whether mail can be sent', async () => {
  const { call, seed } = await withSettings();
  expect((await call('GET', '')).body).toMatchObject({ mailServer: null });
  await seed.query('update installation set has_mail_server = false');
  expect((await call('GET', '')).body).toMatchObject({ mailServer: false });
});
