import { readSheets } from '@visitor-counter/test/read-sheets';
import { expect, test } from 'vitest';
import { composeMail } from './compose.ts';
import type { ReportContent, StoreLine } from './read-report.ts';

/** 90 visitors, of which 12 are of a newer store; 53 before. Of 60 visitors 31 purchases are known. */
function content(language: 'en' | 'de' | 'es' | 'sl', differs: Partial<ReportContent> = {}): ReportContent {
  const sold = { transactions: 31, amount: 125_050n, visitors: 60, incomplete: 0 };
  const line = (id: number, visitors: number, before: number | null, more: Partial<StoreLine> = {}) => {
    return {
      id,
      sid: `S-${id}`,
      name: `Shop ${id}`,
      visitors,
      comparable: visitors,
      before,
      staff: 0,
      hasBegun: true,
      troubles: [],
      ...more,
    } as StoreLine;
  };
  const period = { from: '2026-11-20', to: '2026-11-20' };
  const recipients = ['ann@acme.example'];
  return {
    mail: {
      id: 'a',
      reportId: 1,
      name: 'Daily',
      companyId: 1,
      company: 'Acme',
      group: null,
      period: 'daily',
      language,
      ...period,
      kind: 'report',
      countedUntil: Date.parse('2026-11-20T20:02:00Z'),
      storeIds: null,
      recipients,
      remaining: recipients,
    },
    stores: [line(1, 48, 40), line(2, 30, 13, { sold }), line(3, 12, null)],
    total: { visitors: 90, comparable: 78, before: 53, hasBegun: true, sold },
    compared: { from: '2026-11-13', to: '2026-11-13' },
    size: 'hour',
    timeZone: 'UTC',
    buckets: [{ from: '2026-11-20T10:00', visitors: 90, comparable: 78, before: 53, troubles: [] }],
    ...differs,
  };
}

test.each([
  [
    'en',
    '90 visitors (+47% without newer stores and days)',
    '78 without newer stores and days. Compared with Friday, 13 November 2026: 53',
    'Sales: 31 · Amount: 1,250.50 · Conversion: 51.7%',
  ],
  [
    'de',
    '90 Besucher (+47 % ohne neuere Filialen und Tage)',
    '78 ohne neuere Filialen und Tage. Verglichen mit Freitag, 13. November 2026: 53',
    'Verkäufe: 31 · Betrag: 1.250,50 · Abschlussquote: 51,7 %',
  ],
  [
    'es',
    '90 visitantes (+47 % sin tiendas ni días más recientes)',
    '78 sin tiendas ni días más recientes. En comparación con viernes, 13 de noviembre de 2026: 53',
    'Ventas: 31 · Importe: 1250,50 · Conversión: 51,7 %',
  ],
  [
    'sl',
    '90 obiskovalcev (+47 % brez novejših trgovin in dni)',
    '78 brez novejših trgovin in dni. Primerjava – petek, 13. november 2026: 53',
    'Nakupi: 31 · Znesek: 1250,50 · Delež kupcev: 51,7 %',
  ],
] as const)(
  'compares without newer stores and days, and says so, in %s',
  async (language, subject, compared, sales) => {
    const mail = await composeMail(content(language));
    const plain = (text = '') => text.replaceAll('\u00a0', ' ');
    expect(plain(mail.subject)).toContain(subject);
    expect(plain(mail.text).split('\n').slice(2, 5)).toEqual([subject, compared, sales]);
    expect(plain(mail.html)).toContain(`${compared} (<strong`);
    expect(plain(mail.html)).toContain(sales);
    expect(mail.html).toMatch(/width="87%" bgcolor="#2f6fdb".*width="13%" bgcolor="#a9c6f5"/);
  },
);

/** The cells of a sheet in the attached file, by row. */
async function cellsOf(mail: Awaited<ReturnType<typeof composeMail>>, sheet: number) {
  const sheets = await readSheets(mail.attachments[0]?.content);
  return sheets[sheet - 1]?.rows ?? [];
}

test('shows no number of a store that had not begun to count', async () => {
  const stores = content('en').stores.map((line) => ({ ...line, visitors: 0, hasBegun: line.id !== 3 }));
  const mail = await composeMail(content('en', { stores }));
  expect(mail.text).toMatch(/Shop 2: 0.*\nShop 3: –\n/);
  expect(mail.html).toMatch(/Shop 2<\/bdi><\/td><td[^>]*>0<.*Shop 3<\/bdi><\/td><td[^>]*>–</s);
  expect((await cellsOf(mail, 1)).map(([, , visitors]) => visitors)).toEqual(['Visitors', 0, 0, null, 90]);
});

test('the attached file compares the total without newer stores and days, and has the sales', async () => {
  const mail = await composeMail(content('en'));
  const [titles, first, second, , total] = await cellsOf(mail, 1);
  expect(titles?.slice(2, 5)).toEqual(['Visitors', 'Before, 2026-11-13', 'Change']);
  expect(first?.slice(5)).toEqual([null, null, null, null]);
  expect(second?.slice(2)).toEqual([30, 13, 30 / 13 - 1, 31, 1250.5, 0.5167, null]);
  expect(total).toEqual([
    'Total 2026-11-20',
    null,
    ...[90, 53, 78 / 53 - 1, 31, 1250.5, 0.5167],
    '78 without newer stores and days',
  ]);
  const [, bucket] = await cellsOf(mail, 2);
  expect(bucket?.slice(2, 5)).toEqual([90, 53, 78 / 53 - 1]);
});
