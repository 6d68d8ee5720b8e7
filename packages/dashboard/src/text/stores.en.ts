import type { Accuracy, Way } from '../data/shapes.ts';
import { counted, isolated, number, signedPercent } from './locale.ts';

const storesOf = (n: number) => counted(n, { one: 'store', other: 'stores' });
/** The error of a direction: from the lower to the upper limit. */
type Interval = NonNullable<Accuracy['interval']>;

const people = { one: 'person', other: 'people' };
const way = { in: 'In', out: 'Out' };

/** All stores, counters and their checks, the wall. */
export const stores = {
  nothing: 'There are no stores yet.',
  stores: {
    asOf: (ago: string) => `These numbers are from ${ago}. New ones are being loaded.`,
    inside: 'inside',
    byNow: 'by this time',
    /** The visitors that are compared, if `n` stores were not counted in the compared period. */
    compared: (visitors: string, n: number) =>
      `${visitors} without ${counted(n, { one: 'newer store', other: 'newer stores' })}`,
    zones: 'The stores are in several time zones.',
    otherDays: (days: string, n: number) =>
      `${days} in every store; ${storesOf(n)} already ${n === 1 ? 'has' : 'have'} a later day`,
    recorded: (n: number, days: number) => `counted on ${number(n)} of ${number(days)} days`,
    incomplete: 'Numbers are missing',
    noData: 'No data yet',
    incompleteStores: (n: number) => `numbers of ${storesOf(n)} are incomplete`,
    closedNow: (n: number) => `Closed now: ${storesOf(n)}`,
    trouble: (n: number) => `Needs attention: ${storesOf(n)}`,
    search: 'Search stores',
    group: 'Shop group',
    allGroups: 'All shop groups',
  },
  lastDay: {
    came: (n: number, stores: number | undefined, day: string) =>
      `${counted(n, { one: 'visitor', other: 'visitors' })} came${stores === undefined ? '' : ` to ${storesOf(stores)}`} on ${day},`,
    normal: (weekday: string) => `which is normal for a ${weekday}`,
    more: (weekday: string) => `which is more than normal for a ${weekday}`,
    fewer: (weekday: string) => `which is fewer than normal for a ${weekday}`,
    range: (low: string, high: string) => `${low} to ${high}`,
    unusual: (name: string, n: string, range: string) => `${name} differs most: ${n} instead of ${range}.`,
    noneUnusual: 'No store is outside of what is normal for it.',
    complete: 'All doors are complete.',
    leftOut: (n: number) =>
      `All doors of these are complete; ${storesOf(n)} left out, not complete or too new to compare.`,
    match: 'As many went out as came in.',
    error: (part: string) => `The number may be about ${part} wrong.`,
  },
  devices: {
    search: 'Search counters',
    online: 'Online',
    offline: 'Offline',
    never: 'Never connected',
    seen: (time: string) => `last seen ${time}`,
    follow: (n: number) => `${counted(n, { one: 'person', other: 'people' })} still to be delivered`,
    serial: (serial: string) => `Serial number ${serial}`,
    version: (version: string) => `Version ${version}`,
    trouble: (n: number) => `Needs attention: ${number(n)}`,
    well: (n: number) => `Working: ${number(n)}`,
    none: 'There are no counters yet.',
  },
  wall: {
    fullScreen: 'Full screen',
    leave: 'Back',
    lost: 'No contact',
    asOf: (time: string) => `last update at ${time}`,
    wait: 'Please wait',
    comeIn: 'Come in',
    previous: 'Previous page',
    next: 'Next page',
    pause: 'Pause',
    page: (n: number, of: number) => `Page ${number(n)} of ${number(of)}`,
  },
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
    unfinished: (n: number) => `A check with ${counted(n, people)} is not finished.`,
    way,
    nobody: 'Nobody yet',
    last: (one: Way, time: string) => `${way[one]} at ${time}`,
    finish: 'Finish',
    full: (most: number) => `A check has at most ${number(most)} people. Please finish it.`,
    notKept: 'This browser cannot keep your taps. Do not close or reload this page before you have finished.',
    seen: (entries: number, exits: number) =>
      `You have seen ${counted(entries, people)} come in and ${number(exits)} go out.`,
    unsent: 'Not saved yet. Your taps are kept on this device, and the page keeps trying.',
    refused: (why: string) => `This cannot be saved: ${why}`,
    discard: 'Discard',
    discardSure: 'Discard all taps of this check?',
    pending:
      'Saved. The result follows as soon as the counter has delivered everything, usually within two minutes.',
    result: (error: number, { low, high }: Interval) =>
      `${signedPercent(error)}. The error of the counter is most likely between ${signedPercent(low)} and ${signedPercent(high)}.`,
    counts: (one: Way, observed: number, found: number) =>
      `${way[one]}: ${number(observed)} seen, ${number(found)} counted`,
    tooFew: (n: number, least: number) =>
      `too few people to judge (${number(n)} of at least ${number(least)})`,
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
