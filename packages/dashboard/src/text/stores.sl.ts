import type { Text } from './en.ts';
import { counted, number } from './locale.ts';

const storesOf = (n: number) =>
  counted(n, { one: 'trgovina', two: 'trgovini', few: 'trgovine', other: 'trgovin' });

export const stores = {
  nothing: 'Trgovin še ni.',
  stores: {
    asOf: (ago) => `Stanje: ${ago}. Nove številke se nalagajo.`,
    insideNow: 'Trenutno v trgovini',
    inside: 'v trgovini',
    visitors: 'obiskovalcev',
    store: 'Trgovina',
    change: 'Sprememba',
    before: (n, compare, isToday) =>
      isToday
        ? `${n} ob tem času ${{ weekdays: 'pred enim tednom', previous: 'dan prej', year: 'pred enim letom' }[compare]}`
        : `${n} ${{ weekdays: 'ob istih dnevih v tednu prej', previous: 'v obdobju prej', year: 'leto prej' }[compare]}`,
    compared: (visitors, n) =>
      `${visitors} brez ${counted(n, { one: 'novejše trgovine', other: 'novejših trgovin' })}`,
    incomplete: 'Nekatere številke manjkajo',
    noData: 'Podatkov še ni',
    incompleteStores: (n) => `nepopolne številke: ${storesOf(n)}`,
    closedStores: (n) => `zdaj zaprte: ${number(n)}`,
    closedNow: (n) => `Zdaj zaprte: ${storesOf(n)}`,
    theirVisitors: (n) => `Obiskovalci: ${n}`,
    troubleStores: (n) => (n === 0 ? 'vsi števci delujejo' : `pozornost potrebuje: ${number(n)}`),
    trouble: (n) => `Potrebuje pozornost: ${storesOf(n)}`,
    search: 'Iskanje trgovin',
    group: 'Skupina',
    allGroups: 'Vse skupine',
    sort: 'Vrstni red',
    sorts: {
      attention: 'Najprej potrebuje pozornost',
      visitors: 'Največ obiskovalcev',
      change: 'Največja rast',
      inside: 'Največ ljudi v trgovini',
      name: 'Po imenu',
    },
    notFound: 'Nobena trgovina ne ustreza.',
    showAll: 'Prikaži vse trgovine',
  },
  devices: {
    heading: 'Števci',
    search: 'Iskanje števcev',
    online: 'Povezan',
    offline: 'Ni povezan',
    never: 'Še nikoli povezan',
    seen: (time) => `nazadnje viden ${time}`,
    follow: (n) =>
      `Še ni poslano: ${counted(n, { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' })}`,
    serial: (serial) => `Serijska številka ${serial}`,
    version: (version) => `Različica ${version}`,
    trouble: (n) => `Potrebuje pozornost: ${number(n)}`,
    well: (n) => `Deluje: ${number(n)}`,
    door: 'Vrata',
    notFound: 'Noben števec ne ustreza.',
    showAll: 'Prikaži vse števce',
    none: 'Števcev še ni.',
  },
  wall: {
    fullScreen: 'Cel zaslon',
    leave: 'Nazaj',
    lost: 'Ni povezave',
    asOf: (time) => `zadnja posodobitev ob ${time}`,
    wait: 'Prosimo, počakajte',
    comeIn: 'Prosimo, vstopite',
    all: 'Prikaži vse trgovine',
    previous: 'Prejšnja stran',
    next: 'Naslednja stran',
    pause: 'Premor',
    play: 'Nadaljuj',
    page: (n, of) => `Stran ${number(n)} od ${number(of)}`,
  },
} satisfies Partial<Text>;
