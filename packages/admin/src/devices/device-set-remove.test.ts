import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { expect, test } from 'vitest';
import { acmeTopology, databaseWith } from '../../test/run-admin.ts';

const topology = `${acmeTopology}  - name: Bell
    stores: [{ sid: S-1, name: One, timeZone: UTC }, { sid: S-3, name: Three, timeZone: UTC }]
`;

test('adds a device with a secret that is shown once', async () => {
  const { run, query } = await databaseWith(topology);

  const { code, out } = await run(['device', 'set', 'CU-2', '--store', 'S-2', '--name', 'Back']);

  expect(code).toBe(0);
  const [, secret = ''] = /shown only this once:\n.*: (\S+)$/.exec(out) ?? [];
  const [device] = await query('select name, secret_hash from device where serial = $1', ['CU-2']);
  expect(device).toEqual({ name: 'Back', secret_hash: hashSecret(secret) });
});

test('moves a device from an instant on, to a store of its company only', async () => {
  const { run } = await databaseWith(topology);
  const move = (store: string, ...more: string[]) =>
    run(['device', 'set', 'CU-1', '--store', store, '--json', ...more]);

  const { out } = await move('S-2', '--since', '2026-11-20T10:00:00Z');
  expect(JSON.parse(out).changes).toEqual([
    { action: 'moved', kind: 'device', key: 'CU-1', company: 'Acme', fields: ['store'], crossings: 0 },
  ]);
  const earlier = await move('S-2', '--since', '2026-11-19T10:00:00Z');
  expect(JSON.parse(earlier.out).changes).toMatchObject([{ action: 'moved' }]);
  expect(JSON.parse((await move('S-2')).out)).toMatchObject({ changes: [], unchanged: 1 });
  expect(await move('S-3')).toMatchObject({
    code: 2,
    err: expect.stringContaining('store is "S-3": expected the sid of a store of Acme'),
  });
  expect(await run(['device', 'set', 'cu-1', '--store', 'S-2'])).toMatchObject({ code: 2 });
  expect(await run(['device', 'set', 'CU-9', '--name', 'Nine'])).toMatchObject({
    code: 1,
    err: 'there is no device "CU-9"',
  });
});
