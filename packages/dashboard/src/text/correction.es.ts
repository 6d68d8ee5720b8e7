import type { Text } from './en.ts';
import { number, signed } from './locale.ts';

export const correction = {
  correction: {
    heading: 'Fijar la cifra de personas dentro',
    explain:
      'Cuente a las personas que hay dentro e introduzca el número. Queda registrado quién lo ha fijado.',
    people: 'Personas dentro',
    by: 'Su nombre',
    note: 'Nota (opcional)',
    button: 'Fijar',
    list: 'Fijado hoy',
    none: 'Hoy nadie ha fijado la cifra.',
    entry: (n, by, at) => `${at}: ${by} fijó ${number(n)}`,
    undo: 'Deshacer',
    undoneBy: (by) => `deshecho por ${by}`,
    open: 'Fijar el número',
    sending: 'Guardando …',
    certain: 'Sí, fijarlo',
    change: (now, then) =>
      then === now
        ? `${number(now)} dentro, como ahora.`
        : `${number(then)} en lugar de ${number(now)} dentro (${signed(then - now)}), desde ahora, también en todos los informes.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} personas son más del doble del aforo de ${number(capacity)}. ¿Es correcto el número?`,
    aboveHighest: (people, highest) =>
      `En las últimas cuatro semanas nunca hubo más de ${number(highest)} personas dentro. ¿Es correcto ${number(people)}?`,
    unanswered: 'El servidor no responde. Inténtelo de nuevo.',
    unansweredSince: (time) =>
      `El servidor no responde. Su número de las ${time} se conserva aquí. Inténtelo de nuevo.`,
    refused: 'El servidor no ha aceptado este número.',
    undoHeading: '¿Deshacer este número?',
  },
} satisfies Partial<Text>;
