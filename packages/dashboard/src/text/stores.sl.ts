import type { Text } from './en.ts';
import { counted, isolated, number, signedPercent } from './locale.ts';

const storesOf = (n: number) =>
  counted(n, { one: 'trgovina', two: 'trgovini', few: 'trgovine', other: 'trgovin' });
const people = { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' };
const way = { in: 'Prihod', out: 'Odhod' };

export const stores = {
  nothing: 'Trgovin še ni.',
  stores: {
    asOf: (ago) => `Stanje: ${ago}. Nove številke se nalagajo.`,
    inside: 'v trgovini',
    byNow: 'ob tem času',
    compared: (visitors, n) =>
      `${visitors} brez ${counted(n, { one: 'novejše trgovine', other: 'novejših trgovin' })}`,
    zones: 'Trgovine so v več časovnih pasovih.',
    otherDays: (days, n) => `${days} v vsaki trgovini; ${storesOf(n)} že s poznejšim dnem`,
    recorded: (n, days) => `šteto ${number(n)} od ${number(days)} dni`,
    incomplete: 'Nekatere številke manjkajo',
    noData: 'Podatkov še ni',
    incompleteStores: (n) => `nepopolne številke: ${storesOf(n)}`,
    closedNow: (n) => `Zdaj zaprte: ${storesOf(n)}`,
    trouble: (n) => `Potrebuje pozornost: ${storesOf(n)}`,
    search: 'Iskanje trgovin',
    group: 'Skupina',
    allGroups: 'Vse skupine',
  },
  lastDay: {
    came: (n, stores, day) =>
      `${day}: število obiskovalcev ${number(n)}${stores === undefined ? '' : `, število trgovin ${number(stores)}`},`,
    normal: (weekday) => `kar je običajno za ta dan v tednu, ${weekday}`,
    more: (weekday) => `kar je več kot običajno za ta dan v tednu, ${weekday}`,
    fewer: (weekday) => `kar je manj kot običajno za ta dan v tednu, ${weekday}`,
    range: (low, high) => `od ${low} do ${high}`,
    unusual: (name, n, range) => `Najbolj odstopa ${name}: ${n}, običajno ${range}.`,
    noneUnusual: 'Nobena trgovina ne odstopa od običajnega.',
    complete: 'Podatki vseh vrat so popolni.',
    leftOut: (n) =>
      `Podatki njihovih vrat so popolni; izpuščene trgovine: ${number(n)}, z nepopolnimi podatki ali prenove za primerjavo.`,
    match: 'Ven je šlo toliko ljudi, kot jih je prišlo noter.',
    error: (part) => `Število je lahko napačno za približno ${part}.`,
  },
  devices: {
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
    none: 'Števcev še ni.',
  },
  wall: {
    fullScreen: 'Cel zaslon',
    leave: 'Nazaj',
    lost: 'Ni povezave',
    asOf: (time) => `zadnja posodobitev ob ${time}`,
    wait: 'Prosimo, počakajte',
    comeIn: 'Prosimo, vstopite',
    previous: 'Prejšnja stran',
    next: 'Naslednja stran',
    pause: 'Premor',
    page: (n, of) => `Stran ${number(n)} od ${number(of)}`,
  },
  audit: {
    link: 'Preveri',
    heading: (door) => `Preverjanje: ${isolated(door)}`,
    unknown: 'Teh vrat ni ali pa jih ne smete videti.',
    atTheDoor: 'Kako natančno štejejo ta vrata?',
    explain:
      'Postavite se k vratom in se dotaknite gumba za vsakogar, ki gre skozi. Po približno 200 ljudeh boste vedeli, kako natančno šteje števec.',
    hints: [
      'Za vsako osebo en dotik, tudi za otroke in osebje.',
      'Če se kdo med vrati obrne, se gumba ne dotaknite.',
      'Dotiki ostanejo v tej napravi, dokler niso shranjeni, tudi brez povezave.',
    ],
    begin: 'Začni',
    unfinished: (n) => `Nedokončano preverjanje: ${counted(n, people)}.`,
    way,
    nobody: 'Še nihče',
    last: (one, time) => `${way[one]} ob ${time}`,
    finish: 'Končaj',
    full: (most) => `Preverjanje ima največ ${number(most)} oseb. Prosimo, končajte ga.`,
    notKept:
      'Ta brskalnik ne more ohraniti dotikov. Strani ne zaprite in ne naložite znova, dokler ne končate.',
    seen: (entries, exits) => `Videli ste: prihodi ${number(entries)}, odhodi ${number(exits)}.`,
    unsent: 'Še ni shranjeno. Dotiki ostanejo v tej napravi in stran poskuša naprej.',
    refused: (why) => `Tega ni mogoče shraniti: ${why}`,
    discard: 'Zavrzi',
    discardSure: 'Ali želite zavreči vse dotike tega preverjanja?',
    pending: 'Shranjeno. Rezultat sledi, ko števec pošlje vse številke, običajno v dveh minutah.',
    result: (error, { low, high }) =>
      `${signedPercent(error)}. Napaka števca je zelo verjetno med ${signedPercent(low)} in ${signedPercent(high)}.`,
    counts: (one, observed, found) => `${way[one]}: videnih ${number(observed)}, preštetih ${number(found)}`,
    tooFew: (n, least) => `premalo ljudi za presojo (${number(n)} od vsaj ${number(least)})`,
    nobodySeen: (one) => `${way[one]}: nihče ni bil viden.`,
    meaning:
      'Pri 95 od 100 preverjanj je prava napaka v tem območju. Več ljudi ko opazujete, manjše je območje.',
    removed: 'Rezultata ni: številke števca iz tega časa so bile po dogovorjenem roku izbrisane.',
    waiting: (n) => `Videno: ${counted(n, people)}. Števec še ni poslal vseh številk.`,
    earlier: 'Prejšnja preverjanja',
    never: 'Teh vrat še nihče ni preveril.',
    upload: {
      heading: 'Namesto tega naložite seznam',
      explain:
        'Datoteka CSV z vrstico za vsako osebo: čas, na primer 2026-11-20 10:15:30, vejica, nato in ali out.',
      file: 'Datoteka',
      button: 'Naloži',
      line: (n, value) => `Vrstice ${number(n)} ni mogoče uporabiti: ${value}`,
    },
    checked: (day, by) => `Preverjeno ${day}, ${isolated(by)}`,
    error: (one, error, { low, high }) =>
      `${way[one]} ${signedPercent(error)} (od ${signedPercent(low)} do ${signedPercent(high)})`,
    unchecked: 'Še ni preverjeno',
  },
} satisfies Partial<Text>;
