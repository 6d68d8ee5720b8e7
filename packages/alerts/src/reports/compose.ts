import { workbook, xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import type { Mail } from '../delivery/send.ts';
import { reportHtml } from './html.ts';
import type { ReportContent } from './read-report.ts';
import { correctionsIn, Say } from './say.ts';

/** A report as a mail to the recipients who have not received it: text, HTML, and all stores as XLSX. */
export async function composeMail(content: ReportContent): Promise<Mail> {
  const { mail } = content;
  const say = new Say(content);
  return {
    id: mail.id,
    to: mail.recipients,
    envelope: mail.remaining,
    subject: say.subject,
    text: plainText(content, say),
    html: reportHtml(content, say),
    attachments: [
      { filename: fileName(content), contentType: xlsxMediaType, content: await sheets(content, say) },
    ],
  };
}

function plainText(content: ReportContent, say: Say): string {
  const { total, stores, mail } = content;
  const doubtful = stores.filter(({ troubles }) => troubles.length > 0);
  const change = say.change(total);
  const changes = correctionsIn(content).map(
    ({ store, was }) =>
      `- ${store.name}: ${was === undefined ? '–' : say.number(was)} → ${say.number(store.visitors)}`,
  );
  const lines = [
    `${mail.company}, ${say.scope}: ${say.period}`,
    ...(mail.version > 1 ? ['', say.words.why, ...changes] : []),
    '',
    `${say.visitors(total.visitors)}${change === '' ? '' : ` (${change})`}`,
    ...(doubtful.length === 0
      ? [say.words.complete]
      : [say.words.doubtful, ...doubtful.map((line) => `- ${line.name}: ${say.notes(line)}`)]),
    '',
    ...stores.map((line) => `${line.name}: ${say.number(line.visitors)} ${say.change(line)}`.trimEnd()),
    '',
    `${say.words.counted} ${say.countedUntil}.`,
  ];
  return `${lines.join('\n')}\n`;
}

async function sheets({ stores, buckets, size, total }: ReportContent, say: Say): Promise<Buffer> {
  const { words } = say;
  return await workbook([
    {
      name: words.store,
      columns: [
        { title: words.store, kind: 'text', width: 28 },
        { title: words.storeNumber, kind: 'text' },
        { title: words.count, kind: 'integer' },
        { title: words.before, kind: 'integer' },
        { title: words.change, kind: 'share' },
        { title: words.staff, kind: 'integer' },
        { title: words.note, kind: 'text', width: 60 },
      ],
      rows: [
        ...stores.map((line) => [
          ...[line.name, line.sid, line.visitors, line.before, shareOf(line), line.staff, say.notes(line)],
        ]),
        [words.total, '', total.visitors, total.before, shareOf(total)],
      ],
    },
    {
      name: size === 'hour' ? words.byHour : words.byDay,
      columns: [
        { title: words.time, kind: size === 'hour' ? 'time' : 'date' },
        { title: words.count, kind: 'integer' },
        { title: words.before, kind: 'integer' },
      ],
      rows: buckets.map(({ from, visitors, before }) => [
        size === 'hour' ? from : from.slice(0, 10),
        visitors,
        before,
      ]),
    },
  ]);
}

function shareOf({
  visitors,
  before,
}: {
  readonly visitors: number;
  readonly before: number | null;
}): number | null {
  return before === null || before === 0 ? null : visitors / before - 1;
}

function fileName({ mail: { company, name, from, to } }: ReportContent): string {
  const period = from === to ? from : `${from} ${to}`;
  return `${`${company} ${name}`.replace(/[\p{C}"*/:<>?\\|]/gu, '-').slice(0, 100)} ${period}.xlsx`;
}
