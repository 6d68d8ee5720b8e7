import type { Text } from './en.ts';
import { number, signed } from './locale.ts';

export const correction = {
  correction: {
    heading: 'Zahl der Personen im Laden festlegen',
    explain:
      'Zählen Sie die Personen im Laden und geben Sie die Zahl ein. Wir speichern, wer sie festgelegt hat.',
    people: 'Personen im Laden',
    by: 'Ihr Name',
    note: 'Bemerkung (freiwillig)',
    button: 'Festlegen',
    list: 'Heute festgelegt',
    none: 'Heute hat niemand die Zahl festgelegt.',
    entry: (n, by, at) => `${at}: ${by} hat die Zahl auf ${number(n)} festgelegt`,
    undo: 'Rückgängig machen',
    undoneBy: (by) => `rückgängig gemacht von ${by}`,
    open: 'Zahl festlegen',
    sending: 'Wird gespeichert …',
    certain: 'Ja, festlegen',
    change: (now, then) =>
      then === now
        ? `${number(now)} im Laden, wie jetzt.`
        : `${number(then)} statt ${number(now)} im Laden (${signed(then - now)}), von jetzt an, auch in allen Berichten.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} Personen sind mehr als das Doppelte der Kapazität von ${number(capacity)}. Stimmt die Zahl?`,
    aboveHighest: (people, highest) =>
      `In den letzten vier Wochen waren nie mehr als ${number(highest)} Personen im Laden. Stimmt ${number(people)}?`,
    unanswered: 'Der Server antwortet nicht. Bitte versuchen Sie es noch einmal.',
    unansweredSince: (time) =>
      `Der Server antwortet nicht. Ihre Zahl von ${time} bleibt hier stehen. Bitte versuchen Sie es noch einmal.`,
    refused: 'Der Server hat diese Zahl nicht angenommen.',
    undoHeading: 'Diese Zahl rückgängig machen?',
  },
} satisfies Partial<Text>;
