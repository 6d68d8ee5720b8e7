import { number, signed } from './locale.ts';

/** Setting the number of people inside. */
export const correction = {
  correction: {
    heading: 'Set the number of people inside',
    explain: 'Count the people inside and enter how many there are. We record who set the number.',
    people: 'People inside',
    by: 'Your name',
    note: 'Note (optional)',
    button: 'Set',
    list: 'Numbers set today',
    none: 'Nobody has set the number today.',
    entry: (n: number, by: string, at: string) => `${at}: ${by} set the number to ${number(n)}`,
    undo: 'Undo',
    undoneBy: (by: string) => `undone by ${by}`,
    open: 'Set the number',
    sending: 'Saving …',
    certain: 'Yes, set it',
    change: (now: number, then: number) =>
      then === now
        ? `${number(now)} inside, as it is now.`
        : `${number(then)} instead of ${number(now)} inside (${signed(then - now)}), from now on, in all reports as well.`,
    aboveCapacity: (people: number, capacity: number) =>
      `${number(people)} people are more than twice the capacity of ${number(capacity)}. Is the number right?`,
    aboveHighest: (people: number, highest: number) =>
      `In the last four weeks there were never more than ${number(highest)} people inside. Is ${number(people)} right?`,
    unanswered: 'The server does not answer. Please try again.',
    unansweredSince: (time: string) =>
      `The server does not answer. Your number of ${time} is kept here. Please try again.`,
    refused: 'The server did not accept this number.',
    undoHeading: 'Undo this number?',
  },
};
