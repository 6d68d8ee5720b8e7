import { salesItem } from '@visitor-counter/database/visitors/sold';
import type { Sheet } from '@visitor-counter/spreadsheet/sheet';
import { visitorsSheet } from '@visitor-counter/spreadsheet/visitors-sheet';
import { workbook, xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import { reportHtml } from './html.ts';
import { type ReportContent, visitorsOf } from './read-report.ts';
import { ReportTexts } from './report-texts.ts';

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
      {
        filename: fileName(content),
        contentType: xlsxMediaType,
        content: await workbook(sheetsOf(content, texts)),
      },
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

/** The stores, and the hours or days, as in the files of `/v1/visitors`. */
function sheetsOf(content: ReportContent, texts: ReportTexts): Sheet[] {
  const { mail, compared = null, stores, buckets, total, size } = content;
  const { words } = texts;
  const period = { from: mail.from, to: mail.to };
  const table = { period, compared, total: { ...lineOf(total), incomplete: [texts.newer] } };
  const byStore = visitorsSheet(
    {
      ...table,
      names: [
        { title: words.store, kind: 'text', width: 28 },
        { title: words.storeNumber, kind: 'text' },
      ],
      lines: stores.map((line) => ({
        ...lineOf(line),
        names: [line.name, line.sid],
        incomplete: [texts.notes(line)],
      })),
    },
    words,
  );
  const byTime = visitorsSheet(
    {
      ...table,
      names: [{ title: words.time, kind: size === 'hour' ? 'time' : 'date' }],
      lines: buckets.map((bucket) => ({
        ...bucket,
        names: [size === 'hour' ? bucket.from : bucket.from.slice(0, 10)],
        incomplete: [texts.notes(bucket)],
      })),
    },
    words,
  );
  return [
    { ...byStore, name: words.store },
    { ...byTime, name: size === 'hour' ? words.byHour : words.byDay },
  ];
}

function lineOf({
  sold,
  staff = 0,
  hasBegun,
  ...line
}: ReportContent['total'] & { readonly staff?: number }) {
  const { comparable, before } = line;
  return {
    comparable,
    before,
    visitors: visitorsOf({ ...line, hasBegun }),
    ...(hasBegun && { staff }),
    ...salesItem(sold),
  };
}

function fileName({ mail: { company, name, from, to } }: ReportContent): string {
  const period = from === to ? from : `${from} ${to}`;
  return `${`${company} ${name}`.replace(/[\p{C}"*/:<>?\\|]/gu, '-').slice(0, 100)} ${period}.xlsx`;
}
