import { createHash } from 'node:crypto';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { enterEntry } from '@visitor-counter/database/entries/entries';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { audited } from '@visitor-counter/test/audited';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { oneStore } from '../../test/one-store.ts';
import { routes } from './routes.ts';

/** How a route that writes is called in the company of `staffed`. */
interface Example {
  /** By default that of the store, and of the first entry or report. */
  readonly path?: string;
  readonly body?: object;
  /** Instead of a body, a calendar. */
  readonly text?: string;
  /** The table that it changes. */
  readonly changes: string;
  readonly entry: object;
}

const code = makeEnrolmentCode(Buffer.alloc(32, 3), fingerprintText(Buffer.alloc(32, 7)));
const byAnn = { author_kind: 'staff', author: 'Ann', credential: 'floor', company: 'Acme', subject: 'S-1' };
const byFloor = { author_kind: 'staff', author: 'floor', credential: 'floor', subject: 'staff/floor' };

const nextYear = new Date().getUTCFullYear() + 1;
const settingsOf = (subject: string) => ({ ...byFloor, action: 'changed', subject });

/** Every route that writes. A new one must be added here, with the table that it changes and its entry. */
const examples: Readonly<Record<string, Example>> = {
  'POST /v1/session': {
    body: { token: 'till-token' },
    changes: 'session',
    entry: { author: 'till', credential: 'till', subject: 'staff/till', action: 'signed in' },
  },
  'DELETE /v1/session': { changes: 'session', entry: { ...byFloor, action: 'signed out' } },
  'POST /v1/corrections': {
    body: { store: 'S-1', people: 4, by: 'Ann', note: 'counted' },
    changes: 'entry',
    entry: { ...byAnn, action: 'correction entered', details: expect.objectContaining({ people: 4 }) },
  },
  'POST /v1/corrections/:id/undo': {
    body: { by: 'Ann' },
    changes: 'entry',
    entry: { ...byAnn, action: 'correction undone' },
  },
  'POST /v1/sales': {
    body: { items: [{ store: 'S-1', at: '2026-11-20T10:00:00Z', transactions: 3, amount: '12.50' }] },
    changes: 'sale',
    entry: {
      ...byFloor,
      subject: 'Acme',
      action: 'sales stored',
      details: { stored: 1, replaced: 0, stores: 1 },
    },
  },
  'POST /v1/audits': {
    changes: 'accuracy_audit',
    entry: { ...byAnn, subject: 'CU-0001', action: 'accuracy audit entered' },
    body: {
      device: 'CU-0001',
      by: 'Ann',
      id: 'a-1',
      passages: [{ at: '2026-11-20T10:00:00Z', direction: 'in' }],
    },
  },
  'PUT /v1/stores/:sid/settings': {
    body: { capacity: 7 },
    changes: 'store',
    entry: { ...settingsOf('S-1'), details: { capacity: { from: null, to: 7 } } },
  },
  'POST /v1/stores/:sid/opening-hours/calendar': {
    text: `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:${nextYear}1225\nSUMMARY:closed\nEND:VEVENT\nEND:VCALENDAR`,
    changes: 'store',
    entry: settingsOf('S-1'),
  },
  'PUT /v1/alert-rules': {
    body: { items: [{ kind: 'beam-blocked', after: 60 }] },
    changes: 'alert_rule',
    entry: { ...settingsOf('beam-blocked'), action: 'created' },
  },
  'PUT /v1/alert-recipients': {
    body: { items: [{ mail: 'ann@acme.example' }] },
    changes: 'alert_target',
    entry: { ...settingsOf('ann@acme.example'), action: 'created' },
  },
  'POST /v1/mail-reports': {
    body: { name: 'Daily', period: 'daily', recipients: ['ann@acme.example'] },
    changes: 'mail_report',
    entry: { ...settingsOf('Daily'), action: 'created' },
  },
  'PUT /v1/mail-reports/:id': {
    body: { language: 'sl' },
    changes: 'mail_report',
    entry: settingsOf('Known'),
  },
  'DELETE /v1/mail-reports/:id': {
    changes: 'mail_report',
    entry: { ...settingsOf('Known'), action: 'removed' },
  },
  'POST /v1/mail-reports/:id/test': {
    body: { to: 'ann@acme.example' },
    changes: 'outbox',
    entry: { ...settingsOf('Known'), action: 'test sent', details: { to: 'ann@acme.example' } },
  },
  'POST /v1/staff-passages': {
    body: { store: 'S-1', people: 2, by: 'Ann' },
    changes: 'entry',
    entry: { ...byAnn, action: 'staff passage entered', details: expect.objectContaining({ people: 2 }) },
  },
  'POST /v1/staff-passages/:id/undo': {
    path: '/v1/staff-passages/2/undo',
    body: { by: 'Ann' },
    changes: 'entry',
    entry: { ...byAnn, action: 'staff passage undone' },
  },
  'POST /v1/enrolment': {
    body: { code, serial: 'CU-9', secretHash: createHash('sha256').update('x').digest('hex') },
    changes: 'device',
    entry: { author_kind: 'unit', author: 'CU-9', action: 'unit enrolled', subject: 'CU-9', company: 'Acme' },
  },
};

const pathOf = (pattern: string) => pattern.replace(':sid', 'S-1').replace(':id', '1');

test('lists every route that writes', () => {
  const writing = routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(examples).sort()).toEqual(writing.sort());
});

/** A company with a store, a member of staff who is signed in, a correction and an enrolment code. */
async function staffed() {
  const api = await oneStore();
  const { seed, companyId, storeId, databaseUrl } = api;
  const staff = { companyId, kind: 'staff', value: 'staff-token', label: 'floor', settings: true } as const;
  const credentialId = await seed.credential(staff);
  await seed.credential({ companyId, kind: 'staff', value: 'till-token', label: 'till' });
  const { kysely } = connected(databaseUrl);
  const entry = { author: kim, note: '', credentialId };
  await enterEntry(kysely, 'correction', { ...entry, storeId, at: Date.now() - 60_000, people: 3 });
  await enterEntry(kysely, 'passage', { ...entry, storeId, at: Date.now() - 60_000, people: 1 });
  await seed.query(
    `insert into enrolment_code (company_id, store_id, hash, uses, expires_at) values ($1, $2, $3, 1, '2100-01-01')`,
    [companyId, storeId, hashSecret(parseEnrolmentCode(code)?.text ?? '')],
  );
  await seed.query(
    `insert into mail_report (company_id, name, period, recipients, language) values ($1, 'Known', 'daily', '{a@b.c}', 'en')`,
    [companyId],
  );
  const call = (method: string, path: string, body?: object | string, cookie = '') =>
    fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: {
        'x-requested-with': 'test',
        cookie,
        ...(body && { 'content-type': typeof body === 'string' ? 'text/calendar' : 'application/json' }),
      },
      body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
    });
  /* Otherwise the projector applies the correction while a test compares the tables. */
  await projected(databaseUrl);
  const signedIn = await call('POST', '/v1/session', { token: 'staff-token' });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    url: databaseUrl,
    call: (method: string, path: string, body?: object | string) => call(method, path, body, cookie),
  };
}

test.each(Object.entries(examples))(
  '%s leaves an entry in the audit log',
  async (name, { path, body, text, changes, entry }) => {
    const { url, call } = await staffed();
    const [method = '', pattern = ''] = name.split(' ');

    const { result, changed, entries } = await audited(url, () =>
      call(method, path ?? pathOf(pattern), text ?? body),
    );

    expect(result.status).toBeLessThan(300);
    expect(changed).toContain(changes);
    expect(entries.at(-1)).toMatchObject({ ...entry, origin: '127.0.0.1' });
    expect(JSON.stringify(entries)).not.toContain('staff-token');
    expect(JSON.stringify(entries)).not.toContain(code);
  },
);

test('no route that reads changes anything', async () => {
  const { url, call } = await staffed();
  const reading = routes.filter(({ method, path }) => method === 'GET' && path !== '/v1/live');
  const { changed, entries } = await audited(url, async () => {
    for (const { path } of reading) {
      const answer = await call('GET', pathOf(path));
      await answer.text();
      expect(answer.status).toBeLessThan(500);
    }
  });
  expect(entries).toEqual([]);
  expect(changed).toEqual([]);
});

test('a refused request leaves no entry', async () => {
  const { url, call } = await staffed();
  const { entries } = await audited(url, async () => {
    await call('POST', '/v1/session', { token: 'wrong' });
    await call('POST', '/v1/corrections', { store: 'S-9', people: 4, by: 'Ann' });
    await call('POST', '/v1/corrections/99/undo', { by: 'Ann' });
    await call('POST', '/v1/corrections/1/undo', { by: 'Ann' });
    await call('POST', '/v1/corrections/1/undo', { by: 'Ann' });
  });
  expect(entries).toHaveLength(1);
});
