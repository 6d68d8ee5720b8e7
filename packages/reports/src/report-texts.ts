import { conversionOf } from '@visitor-counter/database/visitors/sold';
import { type ComparedVisitors, changeOf } from '@visitor-counter/domain/compared-total';
import { moneyText } from '@visitor-counter/domain/money';
import type { Period } from '@visitor-counter/domain/periods';
import { readableTimeZone } from '@visitor-counter/domain/time-zone';
import type { ReportContent, StoreLine } from './read-report.ts';
import { type Words, words } from './words.ts';

type Counted = Pick<StoreLine, 'visitors' | 'hasBegun'>;

/** Writes the numbers and dates of a report in its language. */
export class ReportTexts {
  readonly words: Words;
  readonly #content: ReportContent;

  constructor(content: ReportContent) {
    this.#content = content;
    this.words = words[content.mail.language];
  }

  /** Such as `Acme, Friday, 20 November 2026: 1,204 visitors (+12%)`; where stores are newer, that follows the change. */
  get subject(): string {
    const { mail, total } = this.#content;
    const scope = mail.group === null ? mail.company : `${mail.company}, ${mail.group}`;
    return `${this.prefix}${scope}, ${this.period}: ${this.visitors(total)}${this.totalChange}`;
  }

  /** Marks a report that is sent again, or a test. */
  get prefix(): string {
    const { kind } = this.#content.mail;
    return kind === 'report' ? '' : `${this.words[kind]}: `;
  }

  /** The change of the total after it, such as ` (+12% without newer stores and days)`; empty if there is nothing to compare with. */
  get totalChange(): string {
    const change = this.change(this.#content.total);
    const left = this.newer === '' ? '' : ` ${this.words.withoutNewer}`;
    return change === '' ? '' : ` (${change}${left})`;
  }

  /** Such as `78 without newer stores and days`; empty if no store is newer than the compared period. */
  get newer(): string {
    const { visitors, comparable } = this.#content.total;
    const isSame = comparable === null || comparable === visitors;
    return isSame ? '' : `${this.number(comparable)} ${this.words.withoutNewer}`;
  }

  /** The two numbers that are compared, such as `Compared with Friday, 13 November 2026: 53`; empty if there are none. */
  get comparison(): string {
    const { before } = this.#content.total;
    if (this.compared === undefined || before === null) return '';
    const left = this.newer === '' ? '' : `${this.newer}. `;
    return `${left}${this.words.comparedWith} ${this.compared}: ${this.number(before)}`;
  }

  /** The sales of the total; empty if none are known. */
  get sales(): string {
    const { sold } = this.#content.total;
    if (sold === undefined) return '';
    const { words } = this;
    const conversion = conversionOf(sold);
    return [
      `${words.sales}: ${this.number(sold.transactions)}`,
      `${words.amount}: ${new Intl.NumberFormat(words.locale, money).format(Number(moneyText(sold.amount)))}`,
      `${words.conversion}: ${conversion === null ? '–' : new Intl.NumberFormat(words.locale, share).format(conversion)}`,
    ].join(' · ');
  }

  /** The group, the only store, or all of them. */
  get scope(): string {
    const { mail, stores } = this.#content;
    if (mail.group !== null) return mail.group;
    if (stores.length === 1) return stores[0]?.name ?? '';
    return mail.storeIds === null
      ? this.words.allStores
      : `${this.words.store}: ${this.number(stores.length)}`;
  }

  get period(): string {
    const { mail } = this.#content;
    if (mail.period === 'daily') return this.date(mail.from, { weekday: 'long' });
    if (mail.period === 'weekly') return this.range(mail);
    return new Intl.DateTimeFormat(this.words.locale, {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    }).format(at(mail.from));
  }

  get compared(): string | undefined {
    const { compared } = this.#content;
    if (compared === undefined) return undefined;
    return compared.from === compared.to
      ? this.date(compared.from, { weekday: 'long' })
      : this.range(compared);
  }

  /** Such as `1,204 visitors`. */
  visitors({ visitors: count, hasBegun }: Counted): string {
    const { locale, visitors, noData } = this.words;
    if (!hasBegun) return noData;
    const word = visitors[new Intl.PluralRules(locale).select(count)] ?? visitors.other;
    return `${this.number(count)} ${word}`;
  }

  /** The number alone, in a line of its store. */
  count(counted: Counted): string {
    return counted.hasBegun ? this.number(counted.visitors) : '–';
  }

  number(count: number): string {
    return new Intl.NumberFormat(this.words.locale, { useGrouping: true }).format(count);
  }

  /** A change in percent with its sign; empty if there is nothing to compare with. */
  change(compared: ComparedVisitors): string {
    const change = changeOf(compared);
    if (change === null) return '';
    const format = { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' } as const;
    return new Intl.NumberFormat(this.words.locale, format).format(change);
  }

  notes({ troubles }: Pick<StoreLine, 'troubles'>): string {
    return troubles.map((trouble) => this.words.troubles[trouble]).join(' ');
  }

  /** The beginning of a bucket. */
  bucket(local: string): string {
    if (this.#content.size === 'hour') return local.slice(11, 16);
    return new Intl.DateTimeFormat(this.words.locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    }).format(at(local.slice(0, 10)));
  }

  get countedUntil(): string {
    const { mail, timeZone } = this.#content;
    return new Intl.DateTimeFormat(this.words.locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: readableTimeZone(timeZone),
    }).format(mail.countedUntil);
  }

  date(date: string, more: Intl.DateTimeFormatOptions = {}): string {
    return new Intl.DateTimeFormat(this.words.locale, { ...dates, ...more }).format(at(date));
  }

  range({ from, to }: Period): string {
    return new Intl.DateTimeFormat(this.words.locale, dates).formatRange(at(from), at(to));
  }
}

const money = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const share = { style: 'percent', maximumFractionDigits: 1 } as const;
const dates = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

function at(date: string): Date {
  return new Date(`${date}T12:00:00Z`);
}
