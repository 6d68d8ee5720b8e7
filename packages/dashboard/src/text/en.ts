import { visitorWords } from '@visitor-counter/domain/visitor-words';
import { counted, isolated, number } from './locale.ts';
import { settings } from './settings.en.ts';
import { store } from './store.en.ts';
import { stores } from './stores.en.ts';

/** That of a door, if it has one. */
type Name = string | undefined;

const people = (n: number) => counted(n, { one: 'person', other: 'people' });
const doorOf = (name: Name) => (name === undefined ? 'a door' : isolated(name));

/**
 * All texts of the page: here those of several pages, in the other files those of one. The other languages are dictionaries
 * of the same shape.
 */
export const en = {
  title: 'Visitor Counter',
  skip: 'To the content',
  language: 'Language',
  nav: {
    label: 'Pages',
    overview: 'Stores',
    devices: 'Counters',
    wall: 'Display',
    settings: 'Settings',
    reports: 'Reports',
    signOut: 'Sign out',
  },
  signIn: {
    heading: 'Sign in',
    token: 'Staff credential',
    hint: 'You received it from your operator.',
    wrong: 'This credential is not valid for the page.',
    insecure:
      'The connection is not encrypted, so your credential is not accepted. Open the address with https:// at the start, or ask your operator.',
    tooMany: 'Too many attempts. Please try again in a minute.',
    over: 'You were signed out. Please sign in again.',
    notOut:
      'The server cannot be reached, so you are still signed in on this device. Please reload the page later and sign out again.',
  },
  contact: {
    connecting: 'Connecting …',
    live: 'Live',
    polled: 'Every 5 seconds',
    whyPolled:
      'Live numbers do not get through to this device, so the page asks for them every 5 seconds. Your operator can change this.',
    old: 'Not live',
    stale: (since: string) => `The server cannot read its data at the moment. The numbers are from ${since}.`,
    lost: (since: string) => `No contact with the server. The numbers are from ${since}.`,
    never: 'No contact with the server.',
  },
  failed: 'This could not be loaded.',
  unreachable: 'The server cannot be reached. Please try again.',
  refused: 'This cannot be saved as it is. Please check what you entered.',
  again: 'Try again',
  goOn: 'Continue',
  loading: 'Loading …',
  cancel: 'Cancel',
  notFound: 'Nothing matches.',
  showAll: 'Show all',
  save: 'Save',
  insideNow: 'Inside now',
  peopleInside: 'People inside',
  staff: 'Staff',
  door: 'Door',
  yourName: 'Your name',
  optionalNote: 'Note (optional)',
  saving: 'Saving …',
  enteredToday: 'Entered today',
  remove: 'Remove',
  since: (time: string) => `since ${time}`,
  inside: (capacity: number | null) =>
    capacity === null ? 'inside now' : `inside now, capacity ${number(capacity)}`,
  opening: {
    closed: 'Closed',
    at: (time: string) => `opens at ${time}`,
    on: (day: string, time: string) => `opens ${day}, ${time}`,
  },
  full: 'Full',
  nearlyFull: 'Nearly full',
  overfull: (n: number) => `${number(n)} too many`,
  capacity: (percent: string) => `${percent} of capacity`,
  healthy: 'All counters work',
  /** Whether the numbers can be trusted. */
  verdicts: {
    accurate: 'The numbers can be trusted',
    unproven: 'How accurate the numbers are is not known yet',
    doubtful: 'The numbers may be wrong',
    dead: 'A counter does not work',
  },
  complete: 'Everything that was counted in this time has arrived',
  doubtful: 'The number may be wrong',
  completeUntil: (time: string) => `Complete until ${time}`,
  completeUnknown: 'It is not known until when the numbers are complete',
  /** By their kinds, `storage` by what fails. */
  obstacles: {
    offline: (name: Name) => `The counter at ${doorOf(name)} is offline`,
    'never-connected': (name: Name) => `The counter at ${doorOf(name)} has never connected`,
    pending: (name: Name, n: number) =>
      `The counter at ${doorOf(name)} has counted ${people(n)} more; the numbers follow`,
    'pending-unknown': (name: Name) =>
      `It is not known how much the counter at ${doorOf(name)} still has to deliver`,
    missing: (name: Name, n: number) =>
      `${people(n)} at ${doorOf(name)} are missing in the numbers; they may still arrive`,
    lost: (name: Name, n: number) => `${people(n)} at ${doorOf(name)} could not be counted`,
    conflict: (name: Name) => `Some numbers from ${doorOf(name)} must be checked first: call your operator`,
    'beam-blocked': (name: Name) =>
      `The light of the counter at ${doorOf(name)} is blocked: nobody is counted there`,
    'beam-flickering': (name: Name) =>
      `The light of the counter at ${doorOf(name)} flickers: its numbers are wrong, mostly too low`,
    'beams-unreadable': (name: Name) =>
      `Call your installer: the counter at ${doorOf(name)} has a fault, and nobody is counted there`,
    'direction-doubtful': (name: Name) =>
      `The counter at ${doorOf(name)} seems to take people coming in for people leaving`,
    'storage-losing': (name: Name, n: number) =>
      `The counter at ${doorOf(name)} cannot store ${people(n)}: do not switch it off, and call your installer`,
    'storage-failing': (name: Name) =>
      `The memory card of the counter at ${doorOf(name)} is failing: call your installer`,
    'storage-full': (name: Name) =>
      `The memory card of the counter at ${doorOf(name)} is full: call your installer`,
    'clock-unsynced': (name: Name) => `The clock of the counter at ${doorOf(name)} is not set or wrong`,
    'no-devices': () => 'No counter is installed here',
    other: (name: Name) => `The counter at ${doorOf(name)} has a problem`,
  },
  alerts: {
    heading: 'Alerts of the last 24 hours',
    none: 'No alerts.',
    open: 'Now:',
    over: 'Over:',
    fromTo: (from: string, to: string) => `${from} to ${to}`,
    kinds: {
      'device-inactive': (name: Name) => `The counter at ${doorOf(name)} is silent`,
      'capacity-reached': (_: Name, n: number) =>
        `The store is full${n === 0 ? '' : `, with a capacity of ${people(n)}`}`,
      'data-overdue': () => 'Numbers are overdue',
      'limits-exceeded': () => 'A counter counts more than any door can have',
      'disk-low': (name: Name) => `The memory of the counter at ${doorOf(name)} is nearly full`,
      'cloned-unit': (name: Name) => `Two counters report as ${doorOf(name)}`,
      flapping: (name: Name) => `The same problem comes again and again at ${doorOf(name)}`,
      'crossings-missing': (name: Name) => `Numbers from ${doorOf(name)} are missing`,
      'crossings-lost': (name: Name) => `Numbers from ${doorOf(name)} are lost`,
      'version-old': (name: Name) => `The counter at ${doorOf(name)} needs an update`,
      'update-failed': (name: Name) => `The counter at ${doorOf(name)} could not be updated`,
      'storage-failing': (name: Name) => `The counter at ${doorOf(name)} cannot store its numbers`,
      'service-unavailable': () => 'No numbers of any store can be received',
      'visitors-while-closed': () => 'People came in while the store was closed',
      'silent-while-open': (name: Name) => `Nobody passes ${doorOf(name)} although the store is open`,
      'direction-doubtful': (name: Name) => `In and out do not match at ${doorOf(name)}`,
    },
  },
  /** Also those of files and mails. */
  words: visitorWords.en,
  ...settings,
  ...store,
  ...stores,
};

export type Text = typeof en;
