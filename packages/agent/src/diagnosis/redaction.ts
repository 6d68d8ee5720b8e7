export const redacted = '[redacted]';

const secretWords =
  'pass(?:word|wd|phrase|code)|\\bpass\\b|pwd|psk|wep[-_]?key|secret|token|credentials?|authori[sz]ation|cookie|(?:private|api|ssh|access|shared|encryption)[-_ ]?key|enrol(?:l?ment)?[-_ ]?code|wi-?fi|e?ssid';

const secretName = new RegExp(secretWords, 'i');

/** A name and everything that follows `:` or `=` on its line: a password may contain any character. */
const named = new RegExp(String.raw`((?:${secretWords})[\w.-]*["'\x60]?\s*[:=])(?!\s*\x60)[^\n]*`, 'gi');

/** A word after the name, as in `password hunter2` or `--wifi name:password`. */
const followed = new RegExp(String.raw`((?:${secretWords})s?)\s+(?!is |was |for |of )[^\s,;]+`, 'gi');

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, redacted],
  [/:\/\/[^\s"'<>]*@/g, `://${redacted}@`],
  [/\b(Bearer|Basic|Digest)\s+[^\s,"']+/gi, `$1 ${redacted}`],
  [/(?<![0-9A-Za-z])[0-9A-Za-z]{5}(?:[-\s]*[0-9A-Za-z]{5}){5}(?![0-9A-Za-z])/g, redacted],
  [named, `$1 ${redacted}`],
  [followed, `$1 ${redacted}`],
];

/** Long enough that people do not write such words: tokens, keys and hashes. */
const mixed = /[\w+/=-]{20,}/g;
const alphanumeric = /[A-Za-z0-9]{24,}/g;

/** Shorter secrets occur in ordinary words; they are found by the name of their setting. */
const shortestKnown = 4;

/**
 * Removes secrets from text that leaves the unit: those that are known, and everything that is named or shaped like one.
 * If in doubt, a text is removed. `harmless`: words of that shape that are not removed, such as the id of a journal.
 */
export class Redaction {
  /** Known secrets, in any case. */
  readonly #known: RegExp | undefined;
  readonly #harmless: ReadonlySet<string>;

  constructor(secrets: Iterable<string>, harmless: Iterable<string> = []) {
    const long = [...new Set(secrets)].filter((secret) => secret.length >= shortestKnown);
    const known = [...new Set(long.flatMap(spellings))].sort((a, b) => b.length - a.length);
    if (known.length > 0) this.#known = new RegExp(known.map(literal).join('|'), 'giu');
    this.#harmless = new Set(harmless);
  }

  /** A line of a log; JSON stays JSON. */
  line(line: string): string {
    try {
      return JSON.stringify(this.#value(JSON.parse(line)));
    } catch {
      return this.text(line);
    }
  }

  text(text: string): string {
    const unknown = this.#known === undefined ? text : text.replace(this.#known, redacted);
    const unnamed = rules.reduce((left, [pattern, instead]) => left.replace(pattern, instead), unknown);
    const hide = (word: string) => (this.#isToken(word) ? redacted : word);
    return unnamed.replace(mixed, hide).replace(alphanumeric, hide);
  }

  #isToken(word: string): boolean {
    if (this.#harmless.has(word) || !/\d/.test(word)) return false;
    return (/[a-z]/.test(word) && /[A-Z]/.test(word)) || /^[A-Za-z0-9]{24,}$/.test(word);
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => this.#value(one));
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        this.text(name),
        secretName.test(name) ? redacted : this.#value(part),
      ]),
    );
  }
}

/** The pattern of a text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A secret as it may be written: as it is, and within JSON, a URL or a header. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    base64,
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** The values of all settings in `value` whose names say that they are secret, at any depth. */
export function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    secretName.test(name) ? textsIn(part) : secretsIn(part),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
