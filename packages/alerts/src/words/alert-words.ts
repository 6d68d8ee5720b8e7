import type { AlertKind } from '@visitor-counter/database/alerts/alert-kinds';

/** The texts of alert messages in a language, for store managers; numbers and times come from Intl in its `locale`. */
export interface AlertWords {
  readonly locale: string;
  /** Begin the subject of a mail when an alert begins, and when it is over. */
  readonly alert: string;
  readonly over: string;
  readonly fromTo: (from: string, to: string) => string;
  /** The serial number of the counter, for the installer or the operator. */
  readonly serial: (serial: string) => string;
  /** By the plural category of the number. */
  readonly people: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
  readonly kinds: Readonly<Record<AlertKind, KindWords>>;
}

interface KindWords {
  /** A few words that begin a subject or follow the name of the store. */
  readonly title: (facts: WrittenFacts) => string;
  /** The problem, in one or two sentences. */
  readonly raised: (facts: WrittenFacts) => string;
  readonly advice?: string;
  /** Says that it is over. */
  readonly cleared: (facts: WrittenFacts) => string;
}

/** The facts of an alert as its language writes them. */
export interface WrittenFacts {
  /** The names of the store and of the door. */
  readonly store: string;
  readonly door: string;
  /** The instant in the facts, in the time of the store. */
  readonly since: string;
  /** Another fact: a number, a number of people such as `3 people`, or text. `megabytes` is the free space of a disk. */
  readonly number: (name: string) => string;
  readonly people: (name: string) => string;
  readonly text: (name: string) => string;
  /** Of `flapping`: the title of the alert that begins again and again. */
  readonly again: string;
}
