import { escapeUTF8 } from 'entities';
import type { ReportContent, StoreLine } from './read-report.ts';
import type { ReportTexts } from './report-texts.ts';

/** Mail programs cut longer messages; the attached file has all stores. */
const mostStores = 150;
const mostReasons = 50;

const colours = {
  text: '#1f2933',
  soft: '#5f6c7b',
  line: '#e4e7eb',
  bar: '#2f6fdb',
  newer: '#a9c6f5',
  ghost: '#cbd2d9',
  doubt: '#8d5a00',
};
const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

/**
 * A report as HTML that mail programs show: tables and inline styles, no style sheet, no pictures, nothing that is loaded.
 * Names are isolated, so that their writing direction does not change the text around them.
 */
export function reportHtml(content: ReportContent, texts: ReportTexts): string {
  const { mail } = content;
  const parts = [
    `<p style="margin:0 0 4px;color:${colours.soft}">${name(mail.company)} · ${name(texts.scope)}</p>`,
    `<h1 style="margin:0 0 16px;font-size:20px">${text(texts.prefix)}${text(texts.period)}</h1>`,
    mail.kind === 'completed' ? box(`<p style="margin:0">${text(texts.words.again)}</p>`) : '',
    total(content, texts),
    completeness(content, texts),
    chart(content, texts),
    stores(content, texts),
    `<p style="margin:24px 0 0;color:${colours.soft};font-size:12px">${text(texts.words.counted)} ${text(texts.countedUntil)}. ${name(mail.name)}.</p>`,
  ];
  const inner = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:640px;margin:0 auto"><tr><td style="padding:24px 16px">${parts.join('\n')}</td></tr></table>`;
  return `<!doctype html>\n<html lang="${mail.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${text(texts.subject)}</title></head><body style="margin:0;background:#ffffff;color:${colours.text};font-size:15px;line-height:1.45;${font}">${inner}</body></html>\n`;
}

function total({ total: sum }: ReportContent, texts: ReportTexts): string {
  const change = texts.change(sum);
  const shown = change === '' ? '' : ` (<strong style="color:${colours.text}">${text(change)}</strong>)`;
  const line = (inner: string) => `<p style="margin:0;color:${colours.soft}">${inner}</p>`;
  return [
    `<p style="margin:0;font-size:32px;font-weight:600">${text(texts.visitors(sum))}</p>`,
    texts.comparison && line(`${text(texts.comparison)}${shown}`),
    texts.sales && line(text(texts.sales)),
  ].join('');
}

function completeness({ stores: lines }: ReportContent, texts: ReportTexts): string {
  const doubtful = lines.filter(({ troubles }) => troubles.length > 0);
  if (doubtful.length === 0)
    return `<p style="margin:16px 0 0;color:${colours.soft}">✓ ${text(texts.words.complete)}</p>`;
  const reasons = doubtful
    .slice(0, mostReasons)
    .map((line) => `<li>${name(line.name)}: ${text(texts.notes(line))}</li>`);
  const more =
    doubtful.length > reasons.length ? `<p style="margin:8px 0 0">${text(texts.words.more)}</p>` : '';
  return box(
    `<p style="margin:0;font-weight:600">${text(texts.words.doubtful)}</p><ul style="margin:8px 0 0;padding-left:20px">${reasons.join('')}</ul>${more}`,
  );
}

function box(inner: string): string {
  return `<div style="margin:16px 0 0;padding:12px 16px;background:#fff8e6;border-left:4px solid ${colours.doubt}">${inner}</div>`;
}

/**
 * Bars are cells with a width; those of the compared period are thin and grey. If newer stores are left out of it, their part
 * of a bar is light.
 */
function chart({ buckets, size }: ReportContent, texts: ReportTexts): string {
  const highest = Math.max(1, ...buckets.flatMap(({ visitors, before }) => [visitors, before ?? 0]));
  const rows = buckets.map(({ from, visitors, comparable, before }) => {
    const solid = texts.newer === '' ? visitors : (comparable ?? 0);
    const bars =
      bar([solid, colours.bar], [visitors - solid, colours.newer], highest, 12) +
      bar([before ?? 0, colours.ghost], [0, ''], highest, 4);
    return `<tr><td style="padding:3px 12px 3px 0;white-space:nowrap;color:${colours.soft}">${text(texts.bucket(from))}</td><td width="100%" style="padding:3px 0">${bars}</td><td align="right" style="padding:3px 0 3px 12px">${text(texts.number(visitors))}</td></tr>`;
  });
  if (rows.length === 0) return '';
  const title = size === 'hour' ? texts.words.byHour : texts.words.byDay;
  const legend =
    texts.newer === ''
      ? ''
      : `<p style="margin:0 0 8px;color:${colours.soft};font-size:13px">${key(colours.newer)} ${text(texts.words.count)} &nbsp; ${key(colours.bar)} ${text(texts.words.withoutNewer)} &nbsp; ${key(colours.ghost)} ${text(texts.words.before)}</p>`;
  return `${heading(title)}${legend}<table width="100%" cellpadding="0" cellspacing="0" style="font-size:13px">${rows.join('\n')}</table>`;
}

function key(colour: string): string {
  return `<span style="color:${colour}">■</span>`;
}

type Part = readonly [value: number, colour: string];

/** A bar of two parts, one after the other. */
function bar(first: Part, second: Part, highest: number, height: number): string {
  const sum = first[0] + second[0];
  const width = Math.round((100 * sum) / highest);
  if (width === 0) return '';
  const cells = [first, second]
    .filter(([value]) => value > 0)
    .map(
      ([value, colour]) =>
        `<td width="${Math.round((100 * value) / sum)}%" bgcolor="${colour}" style="background:${colour};height:${height}px;line-height:${height}px;font-size:1px">&nbsp;</td>`,
    );
  return `<table role="presentation" width="${width}%" cellpadding="0" cellspacing="0"><tr>${cells.join('')}</tr></table>`;
}

function stores({ stores: lines }: ReportContent, texts: ReportTexts): string {
  if (lines.length < 2) return '';
  const { words } = texts;
  const cell = (inner: string, align = 'right') =>
    `<td align="${align}" style="padding:6px 8px 6px 0;border-top:1px solid ${colours.line}">${inner}</td>`;
  const rowOf = (line: StoreLine) => {
    const mark =
      line.troubles.length > 0
        ? `<span style="color:${colours.doubt}" title="${text(texts.notes(line))}">⚠ </span>`
        : '';
    const before = line.before === null ? '–' : texts.number(line.before);
    return `<tr>${cell(mark + name(line.name), 'left')}${cell(text(texts.count(line)))}${cell(text(before))}${cell(text(texts.change(line) || '–'))}</tr>`;
  };
  const titles = [words.store, words.count, words.before, words.change].map(
    (title, index) =>
      `<th align="${index === 0 ? 'left' : 'right'}" style="padding:6px 8px 6px 0;color:${colours.soft};font-weight:500">${text(title)}</th>`,
  );
  const more = lines.length > mostStores ? `<p style="color:${colours.soft}">${text(words.more)}</p>` : '';
  const rows = lines.slice(0, mostStores).map(rowOf);
  return `${heading(words.store)}<table width="100%" cellpadding="0" cellspacing="0" style="font-size:14px"><tr>${titles.join('')}</tr>${rows.join('\n')}</table>${more}`;
}

function heading(title: string): string {
  return `<h2 style="margin:24px 0 8px;font-size:16px">${text(title)}</h2>`;
}

const text = escapeUTF8;

function name(given: string): string {
  return `<bdi dir="auto">${text(given)}</bdi>`;
}
