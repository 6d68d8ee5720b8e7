import { counted, number } from './locale.ts';

type Compare = 'weekdays' | 'previous' | 'year';

const storesOf = (n: number) => counted(n, { one: 'store', other: 'stores' });

/** All stores, devices, the wall. */
export const stores = {
  nothing: 'There are no stores yet.',
  stores: {
    asOf: (ago: string) => `These numbers are from ${ago}. New ones are being loaded.`,
    insideNow: 'Inside now',
    inside: 'inside',
    visitors: 'visitors',
    store: 'Store',
    change: 'Change',
    before: (n: string, compare: Compare, isToday: boolean) =>
      isToday
        ? `${n} by this time ${{ weekdays: 'a week ago', previous: 'the day before', year: 'a year ago' }[compare]}`
        : `${n} ${{ weekdays: 'on the same weekdays before', previous: 'in the period before', year: 'a year before' }[compare]}`,
    /** The visitors that are compared, if `n` stores were not counted in the compared period. */
    compared: (visitors: string, n: number) =>
      `${visitors} without ${counted(n, { one: 'newer store', other: 'newer stores' })}`,
    incomplete: 'Numbers are missing',
    noData: 'No data yet',
    incompleteStores: (n: number) => `numbers of ${storesOf(n)} are incomplete`,
    closedStores: (n: number) => `${number(n)} closed now`,
    closedNow: (n: number) => `Closed now: ${storesOf(n)}`,
    theirVisitors: (n: string) => `Visitors: ${n}`,
    troubleStores: (n: number) =>
      n === 0 ? 'all counters work' : counted(n, { one: 'needs attention', other: 'need attention' }),
    trouble: (n: number) => `Needs attention: ${storesOf(n)}`,
    search: 'Search stores',
    group: 'Shop group',
    allGroups: 'All shop groups',
    sort: 'Order',
    sorts: {
      attention: 'Needs attention first',
      visitors: 'Most visitors',
      change: 'Largest growth',
      inside: 'Most people inside',
      name: 'By name',
    },
    notFound: 'No store matches.',
    showAll: 'Show all stores',
  },
  devices: {
    heading: 'Counters',
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
    door: 'Door',
    notFound: 'No counter matches.',
    showAll: 'Show all counters',
    none: 'There are no counters yet.',
  },
  wall: {
    fullScreen: 'Full screen',
    leave: 'Back',
    lost: 'No contact',
    asOf: (time: string) => `last update at ${time}`,
    wait: 'Please wait',
    comeIn: 'Come in',
    all: 'Show all stores',
    previous: 'Previous page',
    next: 'Next page',
    pause: 'Pause',
    play: 'Continue',
    page: (n: number, of: number) => `Page ${number(n)} of ${number(of)}`,
  },
};
