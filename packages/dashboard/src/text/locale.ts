import type { languageCodes } from '../data/shapes.ts';

/* The language of the page, and how numbers and names are written, sorted and found in it. */

/** A language of the page, by its code. */
export type Language = (typeof languageCodes)[number];

/** The languages of the page, each with its own name. */
export const languages: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  sl: 'Slovenščina',
};

const defaultRegions: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  es: 'es-ES',
  sl: 'sl-SI',
};

let current = defaultRegions.en;

/** The language and region by which numbers, dates and weeks are written, such as `de-AT`. */
export const locale = () => current;

/** Sets the locale to the first of the browser's languages that is this one, with its region. */
export function setLocale(language: Language, wanted: readonly string[]): void {
  const own = wanted.find((one) => languageOf(one) === language && one.includes('-'));
  current = own ?? defaultRegions[language];
}

/** The first language of the page among those that a browser prefers. */
export function preferredLanguage(wanted: readonly string[]): Language {
  return wanted.map(languageOf).find((one) => one !== undefined) ?? 'en';
}

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code);
}

function languageOf(tag: string): Language | undefined {
  const code = tag.toLowerCase().split('-')[0] ?? '';
  return isLanguage(code) ? code : undefined;
}

/** A whole number such as 12,345. */
export const number = (n: number) => numbers({ maximumFractionDigits: 0 }).format(n);

/** The same, or a dash if there is none. */
export const numberOrDash = (n: number | null | undefined) =>
  n === null || n === undefined ? '–' : number(n);

/** Such as +1,234; 0 has no sign. */
export const signed = (n: number) => numbers({ signDisplay: 'exceptZero' }).format(n);

/** A ratio such as 0.125 as 13 %. */
export const percent = (ratio: number) =>
  numbers({ style: 'percent', maximumFractionDigits: 0 }).format(ratio);

/** The same with a decimal: 0.125 as 12.5 %. */
export const percentOf = (ratio: number) =>
  numbers({ style: 'percent', maximumFractionDigits: 1 }).format(ratio);

/** A ratio of change such as +13 %; with a decimal below 10 %. */
export const signedPercent = (ratio: number) =>
  numbers({
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: Math.abs(ratio) < 0.0995 ? 1 : 0,
  }).format(ratio);

/** Such as 12K, for the axes of charts. */
export const compact = (n: number) => numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(n);

/** A number with the form of its noun, such as 1 person, 2 people. */
export function counted(
  n: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string },
): string {
  const rule = cached(`plural ${current}`, () => new Intl.PluralRules(current)).select(n);
  return `${number(n)} ${forms[rule] ?? forms.other}`;
}

/** A name in a sentence, so that its writing direction does not change the order of the words around it. */
export const isolated = (name: string) => `\u2068${name}\u2069`;

/** The first weekday of the locale, from 1 (Monday) to 7. */
export function firstWeekday(): number {
  const { region } = new Intl.Locale(current).maximize();
  return region !== undefined && weeksFromSunday.includes(region) ? 7 : 1;
}

/** The weekdays, 1 (Monday) to 7, in the order of the locale. */
export function weekdaysInOrder(): number[] {
  const first = firstWeekday();
  return Array.from({ length: 7 }, (_, index) => ((first - 1 + index) % 7) + 1);
}

/** The regions among the page's languages whose week begins on Sunday (CLDR). Browsers do not all know it. */
const weeksFromSunday = 'US CA AU IN ZA PH SG IL JM BZ PK ZW MX CO PE VE GT PA DO PR HN NI SV PY'.split(' ');

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return cached(
    `number ${current} ${JSON.stringify(options)}`,
    () => new Intl.NumberFormat(current, options),
  );
}

const made = new Map<string, unknown>();

/** Formats are expensive to make; each is made once. */
export function cached<Format extends object>(key: string, make: () => Format): Format {
  const known = made.get(key);
  if (known !== undefined) return known as Format;
  const format = make();
  made.set(key, format);
  return format;
}

/** Names in the order of the page's language; numbers in them count as numbers: Aarhus 2 is before Aarhus 10. */
export function compareNames(a: string, b: string): number {
  const options = { numeric: true, sensitivity: 'base' } as const;
  return cached(`names ${locale()}`, () => new Intl.Collator(locale(), options)).compare(a, b);
}

/** Whether one of the texts has each word that is searched for; case and accents do not matter. */
export function matches(texts: readonly string[], search: string): boolean {
  const text = folded(texts.join(' '));
  return folded(search)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
