import type { AlertWords, WrittenFacts } from './alert-words.ts';

const counter = ({ door, store }: WrittenFacts) => `The counter at ${door} in ${store}`;

const storageProblems: Readonly<Record<string, string>> = {
  full: 'Its memory card is full.',
  limit: 'Its memory is full.',
};

export const en: AlertWords = {
  locale: 'en-GB',
  alert: 'Alert',
  over: 'Over',
  fromTo: (from, to) => `From ${from} until ${to}.`,
  serial: (serial) => `For your installer: counter ${serial}`,
  people: { one: 'person', other: 'people' },
  kinds: {
    'device-inactive': {
      title: ({ door }) => `the counter at ${door} is silent`,
      raised: (facts) => `${counter(facts)} has sent nothing since ${facts.since}.`,
      advice: 'Check its power and the network. If it has power, it still counts, and delivers later.',
      cleared: (facts) => `${counter(facts)} works again.`,
    },
    'beam-blocked': {
      title: ({ door }) => `the light of the counter at ${door} is blocked`,
      raised: ({ door, store, since }) =>
        `The light of the counter at ${door} in ${store} has been blocked since ${since}. Nobody is counted there.`,
      advice: 'Remove the object that blocks the light. If there is none, call your installer.',
      cleared: ({ door, store }) => `The light of the counter at ${door} in ${store} is free again.`,
    },
    'beam-flickering': {
      title: ({ door }) => `the light of the counter at ${door} flickers`,
      raised: ({ door, store, since }) =>
        `The light of the counter at ${door} in ${store} has been flickering since ${since}. Its numbers are wrong, mostly too low.`,
      advice: 'Keep sunlight and lamps off the counter. If that does not help, call your installer.',
      cleared: ({ door, store }) => `The light of the counter at ${door} in ${store} no longer flickers.`,
    },
    'capacity-reached': {
      title: () => 'the store is full',
      raised: ({ store, people, number }) =>
        `${store} is full: ${people('occupancy')} inside, capacity ${number('capacity')}.`,
      cleared: ({ store }) => `${store} has room again.`,
    },
    'data-overdue': {
      title: () => 'numbers are overdue',
      raised: ({ store, since }) =>
        `The numbers of ${store} are not complete: they have been missing since ${since}.`,
      advice: 'Check the power and the network of the counters. The numbers are corrected when they arrive.',
      cleared: ({ store }) => `The numbers of ${store} are complete again.`,
    },
    'limits-exceeded': {
      title: ({ door }) => `the counter at ${door} counts more than a door can have`,
      raised: (facts) =>
        `${counter(facts)} has counted more since ${facts.since} than any door can have. The numbers may be wrong.`,
      advice: 'Call your operator.',
      cleared: (facts) => `${counter(facts)} counts as usual again.`,
    },
    'crossings-missing': {
      title: ({ door }) => `numbers from ${door} are missing`,
      raised: ({ door, store, people }) =>
        `${people('count')} at ${door} in ${store} are missing in the numbers. They may still arrive. If the memory card of the counter was replaced, ask your installer for the old one.`,
      cleared: ({ door, store }) => `No numbers from ${door} in ${store} are missing any more.`,
    },
    'crossings-lost': {
      title: ({ door }) => `numbers from ${door} are lost`,
      raised: ({ door, store, people }) => `${people('count')} at ${door} in ${store} could not be counted.`,
      advice: 'They stay uncounted. Set the number of people inside on the page if it looks wrong.',
      cleared: ({ door, store }) => `Nothing more was lost at ${door} in ${store} for a day.`,
    },
    'cloned-unit': {
      title: ({ door }) => `two counters report as ${door}`,
      raised: ({ door, store }) =>
        `Two counters report as ${door} in ${store}, or the memory card of the counter is an old copy. Some numbers are left out until they are checked.`,
      advice: 'Call your operator.',
      cleared: ({ door, store }) => `Only one counter reports as ${door} in ${store} again.`,
    },
    'direction-doubtful': {
      title: ({ door }) => `in and out do not match at ${door}`,
      raised: (facts) =>
        `${counter(facts)} may count the wrong way round or miss one direction: people in and people out do not match.`,
      advice: 'Check whether something is in its light. If not, call your installer.',
      cleared: ({ door, store }) => `In and out match again at ${door} in ${store}.`,
    },
    'disk-low': {
      title: ({ door }) => `the memory of the counter at ${door} is nearly full`,
      raised: (facts) =>
        `${counter(facts)} has a nearly full memory: ${facts.number('megabytes')} MB are free.`,
      advice: 'Call your installer.',
      cleared: (facts) => `${counter(facts)} has free memory again.`,
    },
    'version-old': {
      title: ({ door }) => `the counter at ${door} needs an update`,
      raised: (facts) =>
        `${counter(facts)} has version ${facts.text('version')}, which is older than ${facts.text('expected')}.`,
      advice: 'Call your operator.',
      cleared: (facts) => `${counter(facts)} needs no update any more.`,
    },
    'update-failed': {
      title: ({ door }) => `the counter at ${door} could not be updated`,
      raised: (facts) =>
        `${counter(facts)} could not be updated to version ${facts.text('expected')}. It counts with its earlier version.`,
      advice: 'Call your operator.',
      cleared: (facts) => `${counter(facts)} needs no other version any more.`,
    },
    'storage-failing': {
      title: ({ door }) => `the counter at ${door} cannot store its numbers`,
      raised: (facts) =>
        `${counter(facts)} has not been able to store its numbers since ${facts.since}. ${storageProblems[facts.text('problem')] ?? 'Its memory card fails and must be replaced.'} Not stored yet: ${facts.people('held')}.`,
      advice: 'Do not switch it off. Call your installer.',
      cleared: (facts) => `${counter(facts)} stores its numbers again.`,
    },
    'visitors-while-closed': {
      title: () => 'people came in while the store was closed',
      raised: ({ store, since, people }) =>
        `${store} is closed. Came in since ${since}: ${people('people')}.`,
      cleared: ({ store }) => `Nobody has come into ${store} for two hours, or it is open.`,
    },
    'silent-while-open': {
      title: ({ door }) => `nobody passes ${door}`,
      raised: ({ door, store, since, people }) =>
        `Nobody has passed ${door} in ${store} since ${since}, although the store is open. Usual in this time: at least ${people('missed')}.`,
      advice: 'Check whether the door is open, and whether something blocks the light of the counter.',
      cleared: ({ door, store }) => `People pass ${door} in ${store} again, or the store is closed.`,
    },
    'service-unavailable': {
      title: () => 'no numbers of any store can be received',
      raised: ({ since }) =>
        `No numbers have been received from any store since ${since}. The counters still count, and deliver later.`,
      advice: 'Call your operator.',
      cleared: () => 'Numbers are received again.',
    },
    flapping: {
      title: ({ again }) => `again and again: ${again}`,
      raised: ({ again }) =>
        `This begins and ends again and again: ${again}. You get no more messages about it until it has been quiet for an hour.`,
      cleared: ({ again }) => `This has been quiet for an hour: ${again}.`,
    },
    test: {
      title: () => 'this is a test',
      raised: () => 'This is a test. Nothing is wrong.',
      cleared: () => 'The test is over.',
    },
  },
};
