import type { Alert, Corrected, Obstacle } from '../data/shapes.ts';

/* All texts of the page; a translation is another file of this shape. */

const number = new Intl.NumberFormat('en');
const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });
const people = (n: number) => (n === 1 ? '1 person' : `${number.format(n)} people`);

const firstUpper = (words: string) => words.replace(/^./, (letter) => letter.toUpperCase());

export const text = {
  title: 'Visitor Counter',
  number: (n: number) => number.format(n),
  people,
  skip: 'To the content',
  nav: { label: 'Pages', overview: 'Stores', devices: 'Devices', wall: 'Wall', signOut: 'Sign out' },
  signIn: {
    heading: 'Sign in',
    token: 'Staff credential',
    hint: 'You received it from your operator.',
    button: 'Sign in',
    wrong: 'This credential is not valid for the page.',
    over: 'You were signed out. Please sign in again.',
  },
  contact: {
    connecting: 'Connecting …',
    live: 'Live',
    stale: 'The server cannot read its data at the moment. The numbers are old.',
    lost: (since: string) => `No contact with the server since ${since}. The numbers are old.`,
  },
  failed: 'This could not be loaded.',
  again: 'Try again',
  loading: 'Loading …',
  nothing: 'There are no stores yet.',
  inside: (capacity: number | null) =>
    capacity === null ? 'inside now' : `inside now, room for ${number.format(capacity)}`,
  full: 'Full',
  nearlyFull: 'Nearly full',
  capacity: (percent: number) => `${percent} % of capacity`,
  trend: { up: 'Filling', down: 'Emptying', level: 'Steady' },
  healthy: 'All counters are well',
  doubtful: 'The number may be wrong',
  since: (time: string) => `since ${time}`,
  completeUntil: (time: string) => `Complete until ${time}`,
  completeUnknown: 'Completeness is unknown',
  obstacle: ({ kind, device, count, problem }: Obstacle): string => {
    if (kind === 'offline') return `Counter ${device} is offline`;
    if (kind === 'never-heard') return `Counter ${device} has never connected`;
    if (kind === 'backlog')
      return `Counter ${device} still has ${number.format(count ?? 0)} crossings to deliver`;
    if (kind === 'backlog-unknown') return `It is not known how much counter ${device} still has to deliver`;
    if (kind === 'missing')
      return `${number.format(count ?? 0)} crossings of counter ${device} are missing; they are being fetched`;
    if (kind === 'lost') return `${number.format(count ?? 0)} crossings of counter ${device} are lost`;
    if (kind === 'conflict') return `Some crossings of counter ${device} are not counted and must be checked`;
    if (kind === 'beam-blocked') return `A beam of counter ${device} is blocked`;
    if (kind === 'direction-doubtful')
      return `Counter ${device} seems to count people who come in as people who go out`;
    if (kind === 'storage')
      return count
        ? `Counter ${device} cannot store ${number.format(count)} crossings: do not switch it off, and call your installer`
        : problem === 'failed'
          ? `The memory card of counter ${device} fails: call your installer`
          : `The memory card of counter ${device} is full: call your installer`;
    if (kind === 'clock-unsynced') return `The clock of counter ${device} is not set`;
    if (kind === 'no-devices') return 'No counter is installed here';
    return kind;
  },
  store: {
    unknown: 'There is no such store, or you may not see it.',
    today: 'Today by the hour',
    chart: (entries: number, exits: number) =>
      `People in and out for each hour of today, and in a week ago. Today so far ${number.format(entries)} in and ${number.format(exits)} out.`,
    table: 'As a table',
    columns: ['Hour', 'In', 'Out', 'In a week ago', 'Inside at the end', 'Set by staff'],
    mark: ({ by, people, was }: Corrected) => `${by}: ${signed.format(people - was)}`,
    corrected: ({ by, people, was }: Corrected, at: string) =>
      `At ${at} ${by} set it from ${number.format(was)} to ${number.format(people)} (${signed.format(people - was)}).`,
    in: 'In today',
    out: 'Out today',
    lastWeek: (n: number) => `${number.format(n)} a week ago by now`,
    legend: { in: 'In', out: 'Out', before: 'In a week ago', inside: 'Inside' },
    doors: 'Doors',
    doorColumns: ['Door', 'In', 'Out'],
    health: 'Can the number be trusted?',
    wall: 'Show on the wall',
  },
  alerts: {
    heading: 'Alerts of the last day',
    none: 'No alerts.',
    open: 'Now:',
    over: 'Over:',
    fromTo: (from: string, to: string) => `${from} to ${to}`,
    what: ({ kind, device, beam, occupancy, capacity }: Alert): string => {
      if (kind === 'device-inactive') return `Counter ${device} is inactive`;
      if (kind === 'beam-blocked') return `${firstUpper(beam ?? 'a beam')} of counter ${device} is blocked`;
      if (kind === 'capacity-reached')
        return `Full with ${people(occupancy ?? 0)}, room for ${number.format(capacity ?? 0)}`;
      if (kind === 'data-overdue') return 'Crossings are missing';
      if (kind === 'limits-exceeded') return 'A counter sends more than any door can have';
      if (kind === 'flapping')
        return device
          ? `Counter ${device} reports the same again and again`
          : 'The same alert again and again';
      if (kind === 'crossings-missing') return `Crossings of counter ${device} are missing`;
      if (kind === 'crossings-lost') return `Crossings of counter ${device} are lost`;
      if (kind === 'disk-low') return `The disk of counter ${device} is nearly full`;
      if (kind === 'version-old') return `Counter ${device} has an old version`;
      if (kind === 'cloned-unit') return `Two counters report as ${device}`;
      if (kind === 'direction-doubtful') return `Counter ${device} may count the wrong way round`;
      if (kind === 'storage-failing') return `Counter ${device} cannot store crossings`;
      if (kind === 'service-away') return 'No crossing of any store can be received';
      return kind;
    },
  },
  correction: {
    heading: 'Set the number',
    explain: 'Count the people inside and enter how many there are. We record who set the number.',
    people: 'People inside',
    by: 'Your name',
    note: 'Note (optional)',
    button: 'Set',
    done: (n: number) => `Set to ${number.format(n)}.`,
    list: 'Set today',
    none: 'Nobody has set the number today.',
    entry: (n: number, by: string, at: string) => `${at}: ${by} set it to ${number.format(n)}`,
    undo: 'Undo',
    undoneBy: (by: string) => `undone by ${by}`,
    needsName: 'Please enter your name first.',
  },
  devices: {
    heading: 'Devices',
    columns: ['Counter', 'Store', 'State', 'Last seen', 'Beams', 'To deliver', 'Version'],
    online: 'Online',
    offline: 'Offline',
    never: 'never',
    unknown: 'unknown',
    beam: (position: number, state: string) => `${position}: ${state === 'blocked' ? 'blocked' : 'clear'}`,
    none: 'There are no devices yet.',
  },
  wall: {
    fullScreen: 'Full screen',
    leave: 'Back',
    lost: 'No contact',
    asOf: (time: string) => `last update at ${time}`,
  },
};
