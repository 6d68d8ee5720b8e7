/** Parts of passwords that are tried first; in lower case, longer ones before what they contain. */
const commonParts = [
  'administrator',
  'qwertyuiop',
  'visitorcounter',
  'changeit',
  'changeme',
  'password',
  'passwort',
  'database',
  'iloveyou',
  'postgres',
  'example',
  'default',
  'letmein',
  'visitor',
  'counter',
  'welcome',
  'secret',
  'change',
  'dragon',
  'monkey',
  'qwerty',
  'admin',
  'guest',
  'asdf',
  'root',
  'test',
  'user',
];

const shortest = 16;
const fewestDifferent = 6;
const fewestOwn = 6;

/**
 * The property that a chosen secret lacks, so that it is easy to guess; undefined if it lacks none. `names` are words that
 * an attacker knows, such as the user of the password. It recognises secrets that are certainly weak (short, repeated,
 * consecutive, or made of common words), not everything that a person might choose.
 */
export function weaknessOf(secret: string, names: readonly string[] = []): string | undefined {
  if (secret.length < shortest) return `at least ${shortest} characters`;
  if (new Set(secret).size < fewestDifferent) return `at least ${fewestDifferent} different characters`;
  return isCommon(secret, names) ? 'more than common words, names, repetitions and sequences' : undefined;
}

/** Whether a secret of any length is made of common words, names, repetitions and sequences, such as `postgres1`. */
export function isCommon(secret: string, names: readonly string[]): boolean {
  const known = names.map(lettersAndDigits).filter((name) => name.length > 2);
  let own = lettersAndDigits(secret);
  if (own === '' && secret !== '') own = secret;
  for (const part of [...known, ...commonParts]) own = own.replaceAll(part, '');
  return unpredictableLength(onePeriod(own)) < Math.min(fewestOwn, secret.length);
}

function lettersAndDigits(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** `abcabcabc` is `abc`. */
function onePeriod(text: string): string {
  const [, period] = /^(.+?)\1+$/su.exec(text) ?? [];
  return period ?? text;
}

/** How many characters do not continue a sequence such as `aaaa`, `1234` or `dcba`. */
function unpredictableLength(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const step = (index: number) => (codes[index] ?? 0) - (codes[index - 1] ?? 0);
  return codes.filter((_, index) => {
    const continues = index >= 2 && step(index) === step(index - 1) && Math.abs(step(index)) <= 1;
    return !continues;
  }).length;
}
