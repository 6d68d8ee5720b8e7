import type { Text } from './en.ts';
import { number, signed } from './locale.ts';

export const correction = {
  correction: {
    heading: 'Nastavi število ljudi v trgovini',
    explain: 'Preštejte ljudi v trgovini in vpišite število. Zabeležimo, kdo ga je nastavil.',
    people: 'Ljudje v trgovini',
    by: 'Vaše ime',
    note: 'Opomba (neobvezno)',
    button: 'Nastavi',
    list: 'Nastavljeno danes',
    none: 'Danes števila ni nastavil nihče.',
    entry: (n, by, at) => `${at}: ${by} – število nastavljeno na ${number(n)}`,
    undo: 'Razveljavi',
    undoneBy: (by) => `razveljavil(a): ${by}`,
    open: 'Nastavi število',
    sending: 'Shranjevanje …',
    certain: 'Da, nastavi',
    change: (now, then) =>
      then === now
        ? `V trgovini ${number(now)}, kot zdaj.`
        : `V trgovini ${number(then)} namesto ${number(now)} (${signed(then - now)}), od zdaj naprej, tudi v vseh poročilih.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} oseb je več kot dvakratna zmogljivost, ki je ${number(capacity)}. Ali število drži?`,
    aboveHighest: (people, highest) =>
      `V zadnjih štirih tednih v trgovini ni bilo nikoli več kot ${number(highest)} oseb. Ali ${number(people)} drži?`,
    unanswered: 'Strežnik se ne odziva. Poskusite znova.',
    unansweredSince: (time) =>
      `Strežnik se ne odziva. Vaše število ob ${time} ostane tukaj. Poskusite znova.`,
    refused: 'Strežnik tega števila ni sprejel.',
    undoHeading: 'Ali želite razveljaviti to število?',
  },
} satisfies Partial<Text>;
