import { cached, locale } from './locale.ts';

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
