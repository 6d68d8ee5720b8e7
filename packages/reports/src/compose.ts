import { conversionOf, type Sold } from '@visitor-counter/database/visitors/sold';
import { moneyText } from '@visitor-counter/domain/money';
import type { Column } from '@visitor-counter/spreadsheet/columns';
import type { Sheet } from '@visitor-counter/spreadsheet/sheet';
import { workbook, xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import { reportHtml } from './html.ts';
import { type ReportContent, visitorsOf } from './read-report.ts';
import { changeOf, ReportTexts } from './report-texts.ts';
import type { Words } from './words.ts';

/** A report as a mail to the recipients who have not received it: text, HTML, and all stores as XLSX. */
export async function composeMail(content: ReportContent) {
  const { mail } = content;
  const texts = new ReportTexts(content);
  return {
    id: mail.id,
    to: mail.recipients,
    envelope: mail.remaining,
    subject: texts.subject,
    text: plainText(content, texts),
    html: reportHtml(content, texts),
    attachments: [
      { filename: fileName(content), contentType: xlsxMediaType, content: await sheets(content, texts) },
    ],
  };
}

function plainText(content: ReportContent, texts: ReportTexts): string {
  const { total, stores, mail } = content;
  const doubtful = stores.filter(({ troubles }) => troubles.length > 0);
  const lines = [
    `${mail.company}, ${texts.scope}: ${texts.period}`,
    ...(mail.kind === 'completed' ? ['', texts.words.again] : []),
    '',
    `${texts.visitors(total)}${texts.totalChange}`,
    ...[texts.comparison, texts.sales].filter((line) => line !== ''),
    ...(doubtful.length === 0
      ? [texts.words.complete]
      : [texts.words.doubtful, ...doubtful.map((line) => `- ${line.name}: ${texts.notes(line)}`)]),
    '',
    ...stores.map((line) => `${line.name}: ${texts.count(line)} ${texts.change(line)}`.trimEnd()),
    '',
    `${texts.words.counted} ${texts.countedUntil}.`,
  ];
  return `${lines.join('\n')}\n`;
}

async function sheets(content: ReportContent, texts: ReportTexts): Promise<Buffer> {
  return await workbook([storesSheet(content, texts), bucketsSheet(content, texts)]);
}

function storesSheet({ stores, total }: ReportContent, texts: ReportTexts): Sheet {
  const { words } = texts;
  const areSalesKnown = total.sold !== undefined;
  const sales = (sold: Sold | undefined) => {
    if (!areSalesKnown) return [];
    return sold ? [sold.transactions, moneyText(sold.amount), conversionOf(sold)] : [null, null, null];
  };
  return {
    name: words.store,
    columns: [
      { title: words.store, kind: 'text', width: 28 },
      { title: words.storeNumber, kind: 'text' },
      { title: words.count, kind: 'integer' },
      { title: words.before, kind: 'integer' },
      { title: words.change, kind: 'share' },
      { title: words.staff, kind: 'integer' },
      ...(areSalesKnown ? salesColumns(words) : []),
      noteColumn(words),
    ],
    rows: [
      ...stores.map((line) => [
        line.name,
        line.sid,
        visitorsOf(line),
        line.before,
        changeOf(line),
        line.hasBegun ? line.staff : null,
        ...sales(line.sold),
        texts.notes(line),
      ]),
      [
        words.total,
        '',
        visitorsOf(total),
        total.before,
        changeOf(total),
        null,
        ...sales(total.sold),
        texts.newer,
      ],
    ],
  };
}

function noteColumn(words: Words): Column {
  return { title: words.note, kind: 'text', width: 60 };
}

function salesColumns(words: Words): Column[] {
  return [
    { title: words.sales, kind: 'integer' },
    { title: words.amount, kind: 'amount' },
    { title: words.conversion, kind: 'share' },
  ];
}

/** The hours or days; with a column of the compared visitors if those are not all visitors. */
function bucketsSheet({ buckets, size }: ReportContent, texts: ReportTexts): Sheet {
  const { words } = texts;
  const isApart = texts.newer !== '';
  const title = `${words.count} ${words.withoutNewer}`;
  return {
    name: size === 'hour' ? words.byHour : words.byDay,
    columns: [
      { title: words.time, kind: size === 'hour' ? 'time' : 'date' },
      { title: words.count, kind: 'integer' },
      ...(isApart ? [{ title, kind: 'integer', width: 30 } as const] : []),
      { title: words.before, kind: 'integer' },
      noteColumn(words),
    ],
    rows: buckets.map(({ from, visitors, comparable, before, troubles }) => [
      size === 'hour' ? from : from.slice(0, 10),
      visitors,
      ...(isApart ? [comparable, before] : [before]),
      texts.notes({ troubles }),
    ]),
  };
}

function fileName({ mail: { company, name, from, to } }: ReportContent): string {
  const period = from === to ? from : `${from} ${to}`;
  return `${`${company} ${name}`.replace(/[\p{C}"*/:<>?\\|]/gu, '-').slice(0, 100)} ${period}.xlsx`;
}
