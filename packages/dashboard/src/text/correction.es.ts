import type { Text } from './en.ts';
import { number, signed } from './locale.ts';

export const correction = {
  correction: {
    heading: 'Fijar la cifra de personas dentro',
    explain:
      'Cuente a las personas que hay dentro y escriba cuántas son. Queda registrado quién ha fijado la cifra.',
    people: 'Personas dentro',
    by: 'Su nombre',
    note: 'Nota (opcional)',
    button: 'Fijar',
    list: 'Cifras fijadas hoy',
    none: 'Hoy nadie ha fijado la cifra.',
    entry: (n, by, at) => `${at}: ${by} fijó la cifra en ${number(n)}`,
    undo: 'Deshacer',
    undoneBy: (by) => `deshecho por ${by}`,
    open: 'Fijar la cifra',
    sending: 'Guardando…',
    certain: 'Sí, fijarla',
    change: (now, then) =>
      then === now
        ? `${number(now)} dentro, como ahora.`
        : `${number(then)} en lugar de ${number(now)} dentro (${signed(then - now)}), desde ahora, también en todos los informes.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} personas son más del doble del aforo de ${number(capacity)}. ¿Es correcta la cifra?`,
    aboveHighest: (people, highest) =>
      `En las últimas cuatro semanas nunca hubo más de ${number(highest)} personas dentro. ¿Es correcta la cifra de ${number(people)}?`,
    unanswered: 'El servidor no responde. Inténtelo de nuevo.',
    unansweredSince: (time) =>
      `El servidor no responde. Su cifra de las ${time} se conserva aquí. Inténtelo de nuevo.`,
    refused: 'El servidor no ha aceptado esta cifra.',
    undoHeading: '¿Deshacer esta cifra?',
  },
} satisfies Partial<Text>;
