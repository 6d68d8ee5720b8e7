import { visitorWords } from '@visitor-counter/domain/visitor-words';
import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';
import { settings } from './settings.sl.ts';
import { store } from './store.sl.ts';
import { stores } from './stores.sl.ts';

const people = (n: number) => counted(n, { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' });
const atDoor = (name: string | undefined) =>
  name === undefined ? 'pri enih vratih' : `pri vratih »${isolated(name)}«`;
const ofPeople = (n: number) => counted(n, { one: 'osebe', other: 'oseb' });

export const sl: Text = {
  title: 'Števec obiskovalcev',
  skip: 'Na vsebino',
  language: 'Jezik',
  nav: {
    label: 'Strani',
    overview: 'Trgovine',
    devices: 'Števci',
    wall: 'Zaslon',
    settings: 'Nastavitve',
    reports: 'Poročila',
    signOut: 'Odjava',
  },
  signIn: {
    heading: 'Prijava',
    token: 'Dostopni ključ',
    hint: 'Dobili ste ga od svojega upravljavca.',
    wrong: 'Ta dostopni ključ za to stran ne velja.',
    insecure:
      'Povezava ni šifrirana, zato vaš dostopni ključ ni sprejet. Odprite naslov s https:// na začetku ali vprašajte svojega upravljavca.',
    tooMany: 'Preveč poskusov. Poskusite znova čez minuto.',
    over: 'Bili ste odjavljeni. Prijavite se znova.',
    notOut:
      'Strežnik ni dosegljiv, zato ste na tej napravi še vedno prijavljeni. Pozneje znova naložite stran in se odjavite.',
  },
  contact: {
    connecting: 'Povezovanje …',
    live: 'V živo',
    polled: 'Vsakih 5 sekund',
    whyPolled:
      'Številke v živo ne prispejo do te naprave, zato stran vsakih 5 sekund vpraša zanje. Upravljavec lahko to spremeni.',
    old: 'Ni v živo',
    stale: (since) => `Strežnik trenutno ne more brati podatkov. Prikazano je stanje ob ${since}.`,
    lost: (since) => `Ni povezave s strežnikom. Prikazano je stanje ob ${since}.`,
    never: 'Ni povezave s strežnikom.',
  },
  failed: 'Tega ni bilo mogoče naložiti.',
  unreachable: 'Strežnik ni dosegljiv. Poskusite znova.',
  refused: 'Tega ni mogoče shraniti. Preverite, kaj ste vnesli.',
  again: 'Poskusi znova',
  goOn: 'Nadaljuj',
  loading: 'Nalaganje …',
  cancel: 'Prekliči',
  notFound: 'Ni zadetkov.',
  showAll: 'Prikaži vse',
  save: 'Shrani',
  insideNow: 'Trenutno v trgovini',
  peopleInside: 'Ljudje v trgovini',
  staff: 'Osebje',
  door: 'Vrata',
  yourName: 'Vaše ime',
  optionalNote: 'Opomba (neobvezno)',
  saving: 'Shranjevanje …',
  enteredToday: 'Vneseno danes',
  remove: 'Odstrani',
  since: (time) => `od ${time}`,
  inside: (capacity) =>
    capacity === null ? 'trenutno v trgovini' : `trenutno v trgovini, zmogljivost ${number(capacity)}`,
  opening: {
    closed: 'Zaprto',
    at: (time) => `odpre se ob ${time}`,
    on: (day, time) => `odpre se: ${day}, ${time}`,
  },
  full: 'Polno',
  nearlyFull: 'Skoraj polno',
  overfull: (n) => `${number(n)} preveč`,
  capacity: (percent) => `zasedenost ${percent}`,
  healthy: 'Vsi števci delujejo',
  verdicts: {
    accurate: 'Številkam je mogoče zaupati',
    unproven: 'Kako točne so številke, še ni znano',
    doubtful: 'Številke morda niso pravilne',
    dead: 'Eden od števcev ne deluje',
  },
  complete: 'Vse, kar je bilo v tem času prešteto, je prispelo',
  doubtful: 'Število morda ni pravilno',
  completeUntil: (time) => `Popolno do ${time}`,
  completeUnknown: 'Ni znano, do kdaj so številke popolne',
  obstacles: {
    offline: (name) => `Števec ${atDoor(name)} ni povezan`,
    'never-connected': (name) => `Števec ${atDoor(name)} se še nikoli ni povezal`,
    pending: (name, n) =>
      `Števec ${atDoor(name)} še ni poslal vseh številk (${people(n)}); prišle bodo pozneje`,
    'pending-unknown': (name) => `Ni znano, koliko mora števec ${atDoor(name)} še poslati`,
    missing: (name, n) => `V številkah ${atDoor(name)} manjka ${people(n)}; podatki lahko še prispejo`,
    lost: (name, n) => `Števec ${atDoor(name)} ni mogel prešteti ${ofPeople(n)}`,
    conflict: (name) => `Nekatere številke ${atDoor(name)} je treba najprej preveriti: pokličite upravljavca`,
    'beam-blocked': (name) => `Svetlobni žarek števca ${atDoor(name)} je zakrit: tam se nihče ne šteje`,
    'beam-flickering': (name) =>
      `Svetlobni žarek števca ${atDoor(name)} utripa: številke so napačne, večinoma prenizke`,
    'beams-unreadable': (name) =>
      `Pokličite monterja: števec ${atDoor(name)} je okvarjen in tam se nihče ne šteje`,
    'direction-doubtful': (name) => `Števec ${atDoor(name)} najbrž zamenjuje prihode in odhode`,
    'storage-losing': (name, n) =>
      `Števec ${atDoor(name)} ne more shraniti ${ofPeople(n)}: ne izklapljajte ga in pokličite monterja`,
    'storage-failing': (name) =>
      `Števec ${atDoor(name)} ima okvarjeno pomnilniško kartico: pokličite monterja`,
    'storage-full': (name) => `Števec ${atDoor(name)} ima polno pomnilniško kartico: pokličite monterja`,
    'clock-unsynced': (name) => `Ura števca ${atDoor(name)} ni nastavljena ali je napačna`,
    'no-devices': () => 'Tukaj ni nameščenega števca',
    other: (name) => `Števec ${atDoor(name)} ima težavo`,
  },
  alerts: {
    heading: 'Opozorila zadnjih 24 ur',
    none: 'Ni opozoril.',
    open: 'Zdaj:',
    over: 'Končano:',
    fromTo: (from, to) => `od ${from} do ${to}`,
    kinds: {
      'device-inactive': (name) => `Števec ${atDoor(name)} se ne oglaša`,
      'capacity-reached': (_, n) =>
        `Trgovina je polna${n === 0 ? '' : `, njena zmogljivost je ${people(n)}`}`,
      'data-overdue': () => 'Številke zamujajo',
      'limits-exceeded': () => 'Števec je naštel več ljudi, kot jih lahko gre skozi vrata',
      'disk-low': (name) => `Pomnilnik števca ${atDoor(name)} je skoraj poln`,
      'cloned-unit': (name) => `Dva števca se oglašata ${atDoor(name)}`,
      flapping: (name) => `Ista težava se ${atDoor(name)} vedno znova ponavlja`,
      'crossings-missing': (name) => `Manjkajo številke ${atDoor(name)}`,
      'crossings-lost': (name) => `Številke ${atDoor(name)} so izgubljene`,
      'version-old': (name) => `Števec ${atDoor(name)} je treba posodobiti`,
      'update-failed': (name) => `Števca ${atDoor(name)} ni bilo mogoče posodobiti`,
      'storage-failing': (name) => `Števec ${atDoor(name)} ne more shranjevati številk`,
      'service-unavailable': () => 'Številk ni mogoče prejeti iz nobene trgovine',
      'visitors-while-closed': () => 'Nekdo je vstopil, ko je bila trgovina zaprta',
      'silent-while-open': (name) =>
        `Skozi ${name === undefined ? 'ena vrata' : `vrata »${isolated(name)}«`} ne gre nihče, čeprav je trgovina odprta`,
      'direction-doubtful': (name) => `Prihodi in odhodi ${atDoor(name)} se ne ujemajo`,
    },
  },
  words: visitorWords.sl,
  ...settings,
  ...store,
  ...stores,
};
