import { listAudit } from '@visitor-counter/database/audit/list-audit';
import { setAuthor } from '@visitor-counter/database/audit/record-audit';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { connect } from '@visitor-counter/database/sql/connect';
import { kim } from '@visitor-counter/test/author';
import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, onTestFinished, test } from 'vitest';

/** A company with one door, and the entries that a change by a statement adds. */
async function audited() {
  const { url, rows, companyId, storeId } = await oneDoor();
  const { kysely, close } = connect(url, { applicationName: 'test' });
  onTestFinished(close);
  const entriesOf = async (statement: string, values: readonly unknown[] = []) => {
    const before = (await listAudit(kysely, {}, 1_000)).length;
    await rows.query(statement, values);
    const entries = (await listAudit(kysely, {}, 1_000)).slice(0, -before);
    return entries.map(({ action, subject, company, details }) => ({ action, subject, company, details }));
  };
  return { kysely, rows, companyId, storeId, entriesOf };
}

test('adds an entry about what differs in a row of configuration, in the words of people and without secrets', async () => {
  const { entriesOf, companyId, storeId } = await audited();
  const subject = { kind: 'credential', key: 'staff/office' };
  const issued = await entriesOf(
    `insert into credential (company_id, kind, label, hash, store_ids) values ($1, 'staff', 'office', $2, $3)`,
    [companyId, hashSecret('x'), [storeId]],
  );
  expect(issued).toEqual([
    {
      action: 'created',
      subject,
      company: 'Acme',
      details: { kind: 'staff', label: 'office', hash: '…', store_ids: ['S-1'], may_configure: false },
    },
  ]);
  expect(await entriesOf('update credential set hash = $1, may_configure = true', [hashSecret('y')])).toEqual(
    [
      {
        action: 'changed',
        subject,
        company: 'Acme',
        details: { hash: { from: '…', to: '…' }, may_configure: { from: false, to: true } },
      },
    ],
  );
  expect(await entriesOf('delete from credential')).toMatchObject([{ action: 'removed', subject }]);
});

test('adds no entry for columns that the product itself writes, nor for a row that stays the same', async () => {
  const { entriesOf, companyId } = await audited();
  await entriesOf(`insert into credential (company_id, kind, label, hash) values ($1, 'staff', 'a', $2)`, [
    companyId,
    hashSecret('x'),
  ]);
  for (const statement of [
    'update credential set last_used_at = now()',
    `update company set deleted_before = now()`,
    `update device set direction_doubtful_since = now(), troubles = '{"storage": 1}'`,
    `update device set settings = '{"wifi": "secret"}', settings_revision = 1, settings_set_at = now()`,
    'update store set capacity = capacity',
  ])
    expect(await entriesOf(statement)).toEqual([]);
});

test('limits the size of an entry', async () => {
  const { entriesOf } = await audited();
  const [entry] = await entriesOf('update store set address = $1', ['x'.repeat(100_000)]);
  expect(JSON.stringify(entry).length).toBeLessThan(3_000);
});

test('the author is the one of the transaction, and of a change by hand the user of the database', async () => {
  const { kysely, rows } = await audited();
  const authorOfLast = async () => (await listAudit(kysely, {}, 1))[0]?.author;
  await kysely.transaction().execute(async (trx) => {
    await setAuthor(trx, kim);
    await trx.updateTable('store').set({ capacity: 7 }).execute();
  });
  expect(await authorOfLast()).toEqual(kim);
  await rows.query('update store set capacity = 8');
  expect(await authorOfLast()).toMatchObject({ kind: 'operator', origin: 'SQL' });
});
