import { visitorWords } from '@visitor-counter/domain/visitor-words';
import type { Corrected, Way } from '../data/shapes.ts';
import { counted, isolated, number, signed } from './locale.ts';

/** That of a door, if it has one. */
type Name = string | undefined;

const people = (n: number) => counted(n, { one: 'person', other: 'people' });
const visitors = (n: number) => counted(n, { one: 'visitor', other: 'visitors' });
const stores = (n: number) => counted(n, { one: 'store', other: 'stores' });
const dates = (n: number) => counted(n, { one: 'date', other: 'dates' });
const way = { in: 'In', out: 'Out' };
const doorOf = (name: Name) => (name === undefined ? 'a door' : isolated(name));

/** All texts of the page. The other languages are dictionaries of the same shape. */
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
  range: (from: string, to: string) => `${from} to ${to}`,
  since: (time: string) => `since ${time}`,
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
      `The memory card of the counter at ${doorOf(name)} is full or failing: call your installer`,
    'clock-unsynced': (name: Name) => `The clock of the counter at ${doorOf(name)} is not set or wrong`,
    'no-devices': () => 'No counter is installed here',
    other: (name: Name) => `The counter at ${doorOf(name)} has a problem`,
  },
  alerts: {
    heading: 'Alerts of the last 24 hours',
    none: 'No alerts.',
    open: 'Now:',
    over: 'Over:',
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
      'service-unavailable': () => 'No numbers of any store can be received',
      'visitors-while-closed': () => 'People came in while the store was closed',
      'silent-while-open': (name: Name) => `Nobody passes ${doorOf(name)} although the store is open`,
      'direction-doubtful': (name: Name) => `In and out do not match at ${doorOf(name)}`,
    },
  },
  /** Also those of files and mails. */
  words: visitorWords.en,
  /* Settings of stores and of the company, and reports. */
  settings: {
    storesExplain: 'Choose a store to set its capacity, its opening hours and its staff.',
    saved: 'Saved.',
    date: 'Date',
    people: 'People',
    capacity: 'Capacity',
    capacityExplain:
      'How many people may be inside at the same time. The page warns when the store is nearly full.',
    capacityHint: 'Leave it empty for no limit.',
    hours: 'Opening hours',
    hoursExplain:
      'Hours in which the store is closed are hidden in charts and left out of averages. All times are those of the store.',
    always: 'Always open',
    from: 'from',
    to: 'to',
    wholeDay: 'All day',
    addHours: 'Add hours',
    allDays: 'Use for all days',
    exceptions: 'Dates with other hours',
    past: (n: number) => `${dates(n)} in the past.`,
    addDate: 'Add a date',
    noDate: 'Please enter a date.',
    twice: (entry: string) => `${entry} is entered twice.`,
    wrongHours: {
      incomplete: 'Please enter both times.',
      empty: 'A time must not end when it begins. For a whole day, enter midnight twice.',
      overlap: 'Times overlap.',
    },
    calendar: {
      heading: 'Import holidays from a calendar file',
      explain:
        'A file that ends with .ics. Days in it become dates with other hours; an event with times becomes the hours of its day. What you import is saved at once.',
      file: 'Calendar file',
      allDay: 'The store is closed on every all-day event',
      button: 'Import',
      refused: 'This file cannot be read as a calendar, or it is larger than 1 MB.',
      imported: (n: number) => (n === 0 ? 'Nothing was imported.' : `Imported and saved: ${dates(n)}.`),
      leftOut: (n: number) => `${counted(n, { one: 'event was', other: 'events were' })} left out`,
      reasons: {
        'all-day-not-closed': 'it does not say that the store is closed',
        'closed-with-times': 'it says “closed” and has times: please enter these hours yourself',
        cancelled: 'it is cancelled',
        past: 'it is in the past',
        'too-late': 'it is more than two years ahead',
        'too-long': 'it is longer than a day',
        'too-often': 'it repeats too often',
        'unknown-time-zone': 'its time zone is not known',
        'not-understood': 'it could not be understood',
      },
    },
    staffExplain:
      'Staff who come in are counted like everybody else. Enter how many come in at which time: they then do not count as visitors. The number of people inside includes them.',
    staffSince: (date: string) => `Valid since ${date}.`,
    nobody: 'Nobody',
    addStaff: 'Add staff',
    validFrom: 'Valid from',
    validFromHint: 'Earlier days keep what was entered for them.',
    wrongStaff: 'Please enter a time, and from 1 to 1,000 people.',
    alerts: 'Alerts',
    alertsExplain: 'For all stores. Open alerts are also shown on the page.',
    after: 'after',
    minutes: 'minutes',
    wrongMinutes: 'Please enter from 0 to 43,200 minutes.',
    recipients: 'Who receives alerts by mail',
    recipientsExplain: 'Everybody here receives a mail when an alert begins and when it is over.',
    mail: 'E-mail address',
    sends: 'Receives mails',
    addMail: 'Add an address',
  },
  reports: {
    download: 'Download a period',
    downloadExplain: 'Visitors as a file for a spreadsheet, compared with the same weekdays before.',
    table: 'Table',
    scope: 'Which stores',
    groups: 'Shop groups',
    someStores: stores,
    byMail: 'Reports by mail',
    explain:
      'A report comes two minutes after the last of its stores has closed, or at the hour that you choose, and says whether it is complete. If it is not, you get it once more when it has become complete.',
    add: 'Add a report',
    name: 'Name',
    period: 'How often',
    periods: { daily: 'Every day', weekly: 'Every week', monthly: 'Every month' },
    recipients: 'E-mail addresses, one in each line',
    enabled: 'Send this report',
    off: 'Switched off',
    sent: (time: string) => `Last sent ${time}`,
    neverSent: 'Not sent yet',
    problem: 'The last mail could not be sent. The server will try again.',
    noServer: 'No mail is sent yet: the server has no mail server. Ask those who run it to set one up.',
    when: 'When',
    atClosing: 'After closing',
    at: (time: string) => `at ${time}`,
    preview: 'Preview',
    test: 'Send me a test',
    testExplain: 'Sends the report about the last full period to one address only.',
    send: 'Send',
    testSent: 'The mail server has accepted the mail.',
    testFailed: 'The mail could not be sent.',
    refused:
      'This cannot be saved. Please check the addresses, and the name: no other report may have the same one.',
    removeSure: 'Remove this report?',
  },
  /* The page of one store, its charts, ranges, and setting the number. */
  ranges: {
    label: 'Period',
    today: 'Today',
    yesterday: 'Yesterday',
    '7d': '7 days',
    '4w': '4 weeks',
    month: 'This month',
    year: 'This year',
    custom: 'Other dates',
    choose: 'Choose dates',
    from: 'First day',
    to: 'Last day',
    show: 'Show',
    order: 'The first day must not be after the last day.',
    compare: 'Compare with',
    previous: 'Period before',
    weekdays: 'Same weekdays before',
    /** For one day, instead of `weekdays` and `previous`. */
    weekBefore: 'Same day last week',
    dayBefore: 'Day before',
    yearBefore: 'Year before',
  },
  chart: {
    by: {
      hour: 'Visitors by hour',
      day: 'Visitors by day',
      week: 'Visitors by week',
      month: 'Visitors by month',
      stores: 'Visitors by store',
    },
    summary: (n: number, period: string) =>
      `${visitors(n)}, ${period}. The table below has the same numbers.`,
    capacity: (n: number) => `Capacity ${number(n)}`,
    table: 'Show as a table',
    compared: (period: string) => `Before: ${period}`,
    gap: 'Incomplete',
    /** Which one of two hours at the same time it is, on a day on which clocks are set back. */
    clockChange: { before: 'before the clock change', after: 'after the clock change' },
    insideAt: (n: number, time: string) => `${number(n)} inside at ${time}`,
    whileClosed: (n: number) => `${visitors(n)} while the store was closed`,
    showClosed: 'Show closed hours',
    none: 'No visitors in this time.',
    staff: (n: number) => `${number(n)} staff subtracted`,
  },
  figures: {
    comparable: (n: number) => `${number(n)} in the times that both periods have`,
    against: (before: string, period: string, until: string | undefined) =>
      `against ${before} (${period}${until === undefined ? '' : `, until ${until}`})`,
    noneBefore: 'Nothing to compare with',
    busiestHour: 'Busiest hour',
    busiestDay: 'Best day',
    average: 'Average day',
    days: (n: number) => counted(n, { one: 'complete day', other: 'complete days' }),
    sales: (n: number) => counted(n, { one: 'sale', other: 'sales' }),
    onAverage: (hours: string) => `on average, ${hours}`,
  },
  /** Why in minus out is not the number inside. */
  whyInside: {
    set: (came: number, left: number, inside: number, by: string) =>
      `${number(came)} came in and ${number(left)} went out, but ${number(inside)} are inside because ${isolated(by)} set the number.`,
    floor: (came: number, left: number, inside: number) =>
      `${number(came)} came in and ${number(left)} went out, but ${number(inside)} are inside because the number never falls below zero.`,
  },
  /** How people in and out differ; `error` is how wrong the visitors may be. */
  balance: {
    even: 'In and out match',
    few: 'Too few people to compare in and out',
    open: 'In and out can be compared when everybody has left',
    moreIn: (more: string, error: string | undefined) =>
      `${more} more came in than went out${error === undefined ? '' : `, so visitors may be about ${error} too high`}`,
    moreOut: (more: number, error: string | undefined) =>
      `${number(more)} more went out than came in${error === undefined ? '' : `, so visitors may be about ${error} too low`}`,
  },
  heatmap: {
    heading: 'When people come',
    hint: 'Average visitors for each hour in this time. Hatched: closed, or not complete yet.',
    cell: (day: string, hour: string, n: number) => `${day}, ${hour}: ${number(n)} visitors on average`,
    none: 'There is no complete hour in this time yet.',
  },
  doors: {
    heading: 'Doors',
    ...way,
    share: 'Share',
  },
  store: {
    ask: 'Ask your operator which stores your staff credential is for.',
    health: 'Can the numbers be trusted?',
    wall: 'Show as wall display',
    download: 'Download',
    print: 'Print',
    corrected: ({ by, people, was }: Corrected, at: string) =>
      `At ${at} ${by} set the number from ${number(was)} to ${number(people)} (${signed(people - was)}).`,
  },
  staffTap: {
    button: 'Staff came in',
    explain: 'Staff do not count as visitors. How many came in just now?',
    done: (n: number) => `${counted(n, { one: 'person does', other: 'people do' })} not count as visitors.`,
    entry: (n: number, time: string) => `${time}: ${people(n)}`,
  },
  correction: {
    heading: 'Set the number of people inside',
    explain: 'Count the people inside and enter how many there are. We record who set the number.',
    button: 'Set',
    none: 'Nobody has set the number today.',
    entry: (n: number, by: string, at: string) => `${at}: ${by} set the number to ${number(n)}`,
    undo: 'Undo',
    undoneBy: (by: string) => `undone by ${by}`,
    open: 'Set the number',
    certain: 'Yes, it is right',
    change: (now: number, then: number) =>
      then === now
        ? `${number(now)} inside, as it is now.`
        : `${number(then)} instead of ${number(now)} inside (${signed(then - now)}), from now on, in all reports as well.`,
    aboveCapacity: (people: number, capacity: number) =>
      `${number(people)} people are more than twice the capacity of ${number(capacity)}. Is the number right?`,
    aboveHighest: (people: number, highest: number) =>
      `In the last four weeks there were never more than ${number(highest)} people inside. Is ${number(people)} right?`,
    unansweredSince: (time: string) =>
      `The server does not answer. Your number of ${time} is kept here. Please try again.`,
  },
  /* All stores, counters and their checks, the wall. */
  none: 'There is nothing here yet.',
  unknown: 'This does not exist, or you may not see it.',
  trouble: (n: number) => `Needs attention: ${number(n)}`,
  stores: {
    asOf: (ago: string) => `These numbers are from ${ago}. New ones are being loaded.`,
    inside: 'inside',
    byNow: 'by this time',
    /** The visitors that are compared, if `n` stores were not counted in the compared period. */
    compared: (visitors: string, n: number) =>
      `${visitors} without ${counted(n, { one: 'newer store', other: 'newer stores' })}`,
    zones: 'The stores are in several time zones.',
    otherDays: (days: string, n: number) =>
      `${days} in every store; ${stores(n)} already ${n === 1 ? 'has' : 'have'} a later day`,
    recorded: (n: number, days: number) => `counted on ${number(n)} of ${number(days)} days`,
    noData: 'No data yet',
    incompleteStores: (n: number) => `numbers of ${stores(n)} are incomplete`,
    closedNow: (n: number) => `Closed now: ${stores(n)}`,
    search: 'Search stores',
    group: 'Shop group',
    allGroups: 'All shop groups',
  },
  lastDay: {
    came: (n: number, among: number | undefined, day: string) =>
      `${visitors(n)} came${among === undefined ? '' : ` to ${stores(among)}`} on ${day},`,
    normal: (weekday: string) => `which is normal for a ${weekday}`,
    more: (weekday: string) => `which is more than normal for a ${weekday}`,
    fewer: (weekday: string) => `which is fewer than normal for a ${weekday}`,
    unusual: (name: string, n: string, range: string) => `${name} differs most: ${n} instead of ${range}.`,
    noneUnusual: 'No store is outside of what is normal for it.',
    complete: 'All doors are complete.',
    leftOut: (n: number) =>
      `All doors of these are complete; ${stores(n)} left out, not complete or too new to compare.`,
    match: 'As many went out as came in.',
    error: (part: string) => `The number may be about ${part} wrong.`,
  },
  devices: {
    search: 'Search counters',
    online: 'Online',
    offline: 'Offline',
    never: 'Never connected',
    seen: (time: string) => `last seen ${time}`,
    follow: (n: number) => `${people(n)} still to be delivered`,
    serial: (serial: string) => `Serial number ${serial}`,
    version: (version: string) => `Version ${version}`,
    well: (n: number) => `Working: ${number(n)}`,
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
    atTheDoor: 'How well does this door count?',
    explain:
      'Stand at the door and tap for everybody who walks through. After about 200 people you know how well the counter counts.',
    hints: [
      'Tap once for each person, also for children and staff.',
      'Do not tap for somebody who turns back in the door.',
      'Your taps are kept on this device until they are saved, also without a connection.',
    ],
    begin: 'Begin',
    unfinished: (n: number) => `A check with ${people(n)} is not finished.`,
    nobody: 'Nobody yet',
    finish: 'Finish',
    full: (most: number) => `A check has at most ${number(most)} people. Please finish it.`,
    notKept: 'This browser cannot keep your taps. Do not close or reload this page before you have finished.',
    seen: (entries: number, exits: number) =>
      `You have seen ${people(entries)} come in and ${number(exits)} go out.`,
    unsent: 'Not saved yet. Your taps are kept on this device, and the page keeps trying.',
    refused: (why: string) => `This cannot be saved: ${why}`,
    discard: 'Discard',
    discardSure: 'Discard all taps of this check?',
    pending:
      'Saved. The result follows as soon as the counter has delivered everything, usually within two minutes.',
    counts: (one: Way, observed: number, found: number) =>
      `${way[one]}: ${number(observed)} seen, ${number(found)} counted`,
    tooFew: (n: number, least: number) =>
      `too few people to judge (${number(n)} of at least ${number(least)})`,
    nobodySeen: (one: Way) => `${way[one]}: nobody seen.`,
    meaning:
      'In 95 of 100 checks the true error is in this range. The more people you watch, the smaller the range.',
    removed: "There is no result: the counter's numbers of that time were deleted after the agreed time.",
    waiting: (n: number) => `${people(n)} seen. The counter has not delivered everything yet.`,
    earlier: 'Earlier checks',
    upload: {
      heading: 'Upload a list instead',
      explain:
        'A CSV file with a line for each person: the time, such as 2026-11-20 10:15:30, then a comma, then in or out.',
      file: 'File',
      button: 'Upload',
      line: (n: number, value: string) => `Line ${number(n)} cannot be used: ${value}`,
    },
    checked: (day: string, by: string) => `Checked on ${day} by ${isolated(by)}`,
    unchecked: 'Not checked yet',
  },
};

export type Text = typeof en;
