import { signal } from '@preact/signals';
import { en, type Text } from './en.ts';
import { isLanguage, type Language, preferredLanguage, setLocale } from './locale.ts';

/** All texts of the page, in its language. Read it while rendering: it changes with the language. */
export let text: Text = en;

/** The page's language. Components that show texts are rendered again when it changes. */
export const language = signal<Language>('en');

const kept = 'language';

/** Loads the language that was chosen here before, otherwise the first that the browser prefers. */
export async function loadLanguage(): Promise<void> {
  const chosen = localStorage.getItem(kept) ?? '';
  await useDictionary(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages)).catch(() => {
    /* English is part of the page. */
  });
}

/** Changes the language and remembers it on this device. */
export async function chooseLanguage(code: Language): Promise<void> {
  await useDictionary(code);
  localStorage.setItem(kept, code);
}

/** A text of the dictionary by a key that the server has sent; undefined if the page does not know the key. */
export function known<Entry>(texts: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

async function useDictionary(code: Language): Promise<void> {
  text = await dictionaries[code]();
  setLocale(code, navigator.languages);
  document.documentElement.lang = code;
  language.value = code;
}

/** Only the language that is used is loaded. */
const dictionaries: Readonly<Record<Language, () => Promise<Text>>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  sl: async () => (await import('./sl.ts')).sl,
};
