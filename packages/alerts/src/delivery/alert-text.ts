import type { AlertKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { Delivery } from '@visitor-counter/database/alerts/list-alerts';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import { readableTimeZone } from '@visitor-counter/domain/time-zone';
import type { AlertWords, WrittenFacts } from '../words/alert-words.ts';
import { de } from '../words/de.ts';
import { en } from '../words/en.ts';
import { es } from '../words/es.ts';
import { sl } from '../words/sl.ts';

const words: Readonly<Record<MailLanguage, AlertWords>> = { en, de, es, sl };

/** The text of a message about an alert, in the language of its target and the time of the store. */
interface AlertText {
  readonly subject: string;
  /** The problem, or its end. */
  readonly text: string;
  /** The paragraphs of a mail; the last one is for the installer. */
  readonly paragraphs: readonly string[];
}

export function alertText(delivery: Delivery): AlertText {
  const { kind, phase, target, companyName, about, clearedAt } = delivery;
  const phrases = words[target.language];
  const facts = writtenFacts(delivery, phrases);
  const { title, raised, advice, cleared } = phrases.kinds[kind];
  const isOver = phase === 'cleared';
  const text = isOver ? cleared(facts) : raised(facts);
  const ended =
    clearedAt === null ? undefined : phrases.fromTo(facts.since, instantText(clearedAt, delivery));
  const more = isOver ? ended : advice;
  const serial = about['serial'] === undefined ? undefined : phrases.serial(`${about['serial']}`);
  return {
    subject: `${isOver ? phrases.over : phrases.alert}: ${[facts.store, title(facts)].filter(Boolean).join(' – ')}`,
    text,
    paragraphs: [text, more ?? [], [companyName, serial ?? []].flat().join('\n')].flat(),
  };
}

type About = Delivery['about'];

function writtenFacts(delivery: Delivery, phrases: AlertWords): WrittenFacts {
  const { about } = delivery;
  const { locale, people } = phrases;
  const number = (name: string) => new Intl.NumberFormat(locale).format(numberOf(about, name));
  const facts = {
    store: nameText(about['store']),
    door: nameText(about['device']),
    since: instantText(sinceOf(about) ?? delivery.beganAt, delivery),
    number,
    people: (name: string) => {
      const rule = new Intl.PluralRules(locale).select(numberOf(about, name));
      return `${number(name)} ${people[rule] ?? people.other}`;
    },
    text: (name: string) => `${about[name] ?? ''}`,
    again: '',
  };
  const kind = phrases.kinds[`${about['flapping']}` as AlertKind];
  return kind === undefined ? facts : { ...facts, again: kind.title(facts) };
}

function numberOf(about: About, name: string): number {
  if (name === 'megabytes') return Math.floor(numberOf(about, 'diskFree') / 1e6);
  const value = Number(about[name] ?? 0);
  return Number.isFinite(value) ? value : 0;
}

/** The instant at which what the alert reports began. */
function sinceOf(about: About): number | undefined {
  const since = Date.parse(`${about['since']}`);
  return Number.isNaN(since) ? undefined : since;
}

/** Such as `23 November at 14:05`; with the year if it is not that of the alert, and with the zone if stores have several. */
function instantText(instant: number, { target, timeZone, raisedAt }: Delivery): string {
  const isThisYear = new Date(instant).getUTCFullYear() === new Date(raisedAt).getUTCFullYear();
  return new Intl.DateTimeFormat(words[target.language].locale, {
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    ...(!isThisYear && { year: 'numeric' }),
    ...(timeZone === null
      ? { timeZone: 'UTC', timeZoneName: 'short' }
      : { timeZone: readableTimeZone(timeZone) }),
  }).format(instant);
}

/** A name in a sentence. One that is written from right to left must not change the order of the words around it. */
function nameText(name: unknown): string {
  const text = `${name ?? ''}`;
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
