import { counted, isolated, number, signedPercent } from './locale.ts';

type Way = 'in' | 'out';

/** The error of a direction: from the lower to the upper limit. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

const people = { one: 'person', other: 'people' };
const way = { in: 'In', out: 'Out' };

/** Checking a door. */
export const audit = {
  audit: {
    link: 'Check',
    heading: (door: string) => `Check ${isolated(door)}`,
    unknown: 'There is no such door, or you may not see it.',
    atTheDoor: 'How well does this door count?',
    explain:
      'Stand at the door and tap for everybody who walks through. After about 200 people you know how well the counter counts.',
    hints: [
      'Tap once for each person, also for children and staff.',
      'Do not tap for somebody who turns back in the door.',
      'Your taps are kept on this device until they are saved, also without a connection.',
    ],
    begin: 'Begin',
    goOn: 'Continue',
    unfinished: (n: number) => `A check with ${counted(n, people)} is not finished.`,
    way,
    nobody: 'Nobody yet',
    last: (one: Way, time: string) => `${way[one]} at ${time}`,
    undo: 'Undo',
    finish: 'Finish',
    full: (most: number) => `A check has at most ${number(most)} people. Please finish it.`,
    notKept: 'This browser cannot keep your taps. Do not close or reload this page before you have finished.',
    seen: (entries: number, exits: number) =>
      `You have seen ${counted(entries, people)} come in and ${number(exits)} go out.`,
    name: 'Your name',
    note: 'Note (optional)',
    sending: 'Saving …',
    unsent: 'Not saved yet. Your taps are kept on this device, and the page keeps trying.',
    refused: (why: string) => `This cannot be saved: ${why}`,
    discard: 'Discard',
    discardSure: 'Discard all taps of this check?',
    pending:
      'Saved. The result follows as soon as the counter has delivered everything, usually within two minutes.',
    result: (one: Way, observed: number, found: number, error: number, { low, high }: Interval) =>
      `${way[one]}: ${number(observed)} seen, ${number(found)} counted: ${signedPercent(error)}. The error of the counter is most likely between ${signedPercent(low)} and ${signedPercent(high)}.`,
    nobodySeen: (one: Way) => `${way[one]}: nobody seen.`,
    meaning:
      'In 95 of 100 checks the true error is in this range. The more people you watch, the smaller the range.',
    removed: "There is no result: the counter's numbers of that time were deleted after the agreed time.",
    waiting: (n: number) => `${counted(n, people)} seen. The counter has not delivered everything yet.`,
    earlier: 'Earlier checks',
    never: 'Nobody has checked this door yet.',
    upload: {
      heading: 'Upload a list instead',
      explain:
        'A CSV file with a line for each person: the time, such as 2026-11-20 10:15:30, then a comma, then in or out.',
      file: 'File',
      button: 'Upload',
      line: (n: number, value: string) => `Line ${number(n)} cannot be used: ${value}`,
    },
    checked: (day: string, by: string) => `Checked on ${day} by ${isolated(by)}`,
    error: (one: Way, error: number, { low, high }: Interval) =>
      `${way[one]} ${signedPercent(error)} (${signedPercent(low)} to ${signedPercent(high)})`,
    unchecked: 'Not checked yet',
  },
};
