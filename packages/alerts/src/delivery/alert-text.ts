import type { AlertKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { AlertMessage } from '@visitor-counter/database/alerts/alert-messages';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import { readableTimeZone } from '@visitor-counter/domain/time-zone';
import de from '../words/de.json' with { type: 'json' };
import en from '../words/en.json' with { type: 'json' };
import es from '../words/es.json' with { type: 'json' };
import sl from '../words/sl.json' with { type: 'json' };

type MessageKey = keyof typeof en | `${AlertKind}.${'title' | 'raised' | 'cleared'}`;

/**
 * The messages of each language, for store managers, by key. A title is a few words that begin a subject or follow the name
 * of the store. In braces are facts, or keys of other messages; `people.` has a key for each plural category.
 */
const catalogues: Readonly<Record<MailLanguage, Readonly<Record<MessageKey, string>>>> = { en, de, es, sl };

/** The text of a message about an alert, in the language of its target and the time of the store. */
interface AlertText {
  readonly subject: string;
  /** The problem, or its end. */
  readonly text: string;
  /** The paragraphs of a mail; the last one is for the installer. */
  readonly paragraphs: readonly string[];
}

export function alertText(alert: AlertMessage): AlertText {
  const { kind, phase, language, companyName, about, clearedAt } = alert;
  const messages: Messages = catalogues[language];
  const facts = writtenFacts(alert, messages);
  const message = (key: string) => fill(messages, key, facts);
  const isOver = phase === 'cleared';
  const text = message(`${kind}.${phase}`);
  const duration = clearedAt === null ? '' : message('duration');
  const more = isOver ? duration : message(`${kind}.advice`);
  const serial = about['serial'] === undefined ? '' : message('installer');
  return {
    subject: `${message(isOver ? 'over' : 'alert')}: ${[facts['store'], message(`${kind}.title`)].filter(Boolean).join(' – ')}`,
    text,
    paragraphs: [text, more, [companyName, serial].filter(Boolean).join('\n')].filter(Boolean),
  };
}

type Messages = Readonly<Record<string, string>>;
type Facts = Readonly<Record<string, string>>;

/** The message of a key. Facts are inserted as they are: a door may be named `{store}`. */
function fill(messages: Messages, key: string, facts: Facts): string {
  const message = messages[key] ?? '';
  return message.replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? fill(messages, name, facts));
}

/** The facts of an alert as its language writes them, by the names of their placeholders. */
function writtenFacts(alert: AlertMessage, messages: Messages): Facts {
  const { about, beganAt, clearedAt } = alert;
  const locale = messages['locale'];
  const number = (name: string) => new Intl.NumberFormat(locale).format(numberOf(about, name));
  const people = (name: string) => {
    const rule = new Intl.PluralRules(locale).select(numberOf(about, name));
    return `${number(name)} ${messages[`people.${rule}`] ?? messages['people.other']}`;
  };
  const text = (name: string) => `${about[name] ?? ''}`;
  const facts = {
    store: nameText(about['store']),
    door: nameText(about['device']),
    serial: text('serial'),
    since: instantText(sinceOf(about) ?? beganAt, alert),
    until: clearedAt === null ? '' : instantText(clearedAt, alert),
    occupancy: people('occupancy'),
    count: people('count'),
    held: people('held'),
    people: people('people'),
    missed: people('missed'),
    capacity: number('capacity'),
    megabytes: number('megabytes'),
    version: text('version'),
    expected: text('expected'),
    problem: messages[`problem.${about['problem']}`] ?? messages['problem.failed'] ?? '',
    again: '',
  };
  /* Of `flapping`: the title of the alert that begins again and again. */
  return { ...facts, again: fill(messages, `${about['flapping']}.title`, facts) };
}

type About = AlertMessage['about'];

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
function instantText(instant: number, { language, timeZone, raisedAt }: AlertMessage): string {
  const isThisYear = new Date(instant).getUTCFullYear() === new Date(raisedAt).getUTCFullYear();
  return new Intl.DateTimeFormat(catalogues[language].locale, {
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
