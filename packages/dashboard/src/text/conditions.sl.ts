import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';

const people = (n: number) => counted(n, { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' });
const atDoor = (name: string | undefined) =>
  name === undefined ? 'pri enih vratih' : `pri vratih »${isolated(name)}«`;
const ofPeople = (n: number) => counted(n, { one: 'osebe', other: 'oseb' });

export const conditions = {
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
  healthy: 'Vsi števci delujejo pravilno',
  doubtful: 'Število morda ni pravilno',
  completeUntil: (time) => `Popolno do ${time}`,
  completeUnknown: 'Ni znano, do kdaj so številke popolne',
  obstacle: ({ kind, count = 0, problem }, name) => {
    const door = atDoor(name);
    const at = `Števec ${door}`;
    if (kind === 'offline') return `${at} ni povezan`;
    if (kind === 'never-connected') return `${at} se še nikoli ni povezal`;
    if (kind === 'pending') return `${at} še ni poslal vseh številk (${people(count)}); prišle bodo pozneje`;
    if (kind === 'pending-unknown') return `Ni znano, koliko mora števec ${door} še poslati`;
    if (kind === 'missing') return `V številkah ${door} manjka ${people(count)}; podatki se še pridobivajo`;
    if (kind === 'lost') return `${at} ni mogel prešteti ${ofPeople(count)}`;
    if (kind === 'conflict')
      return `Nekatere številke ${door} je treba najprej preveriti: pokličite upravljavca`;
    if (kind === 'beam-blocked') return `Svetlobni žarek števca ${door} je zakrit: tam se nihče ne šteje`;
    if (kind === 'direction-doubtful') return `${at} najbrž zamenjuje prihode in odhode`;
    if (kind === 'storage')
      return count
        ? `${at} ne more shraniti ${ofPeople(count)}: ne izklapljajte ga in pokličite monterja`
        : problem === 'failed'
          ? `${at} ima okvarjeno pomnilniško kartico: pokličite monterja`
          : `${at} ima polno pomnilniško kartico: pokličite monterja`;
    if (kind === 'clock-unsynced') return `Ura števca ${door} ni nastavljena`;
    if (kind === 'no-devices') return 'Tukaj ni nameščenega števca';
    return `${at} ima težavo`;
  },
  alerts: {
    heading: 'Opozorila zadnjih 24 ur',
    none: 'Ni opozoril.',
    open: 'Zdaj:',
    over: 'Končano:',
    fromTo: (from, to) => `od ${from} do ${to}`,
    what: ({ kind, capacity }, name) => {
      const door = atDoor(name);
      if (kind === 'device-inactive') return `Števec ${door} se ne oglaša`;
      if (kind === 'beam-blocked') return `Svetlobni žarek števca ${door} je zakrit`;
      if (kind === 'capacity-reached')
        return `Trgovina je polna, njena zmogljivost je ${people(capacity ?? 0)}`;
      if (kind === 'data-overdue') return 'Številke zamujajo';
      if (kind === 'limits-exceeded') return 'Števec je naštel več ljudi, kot jih lahko gre skozi vrata';
      if (kind === 'flapping') return `Ista težava se ${door} vedno znova ponavlja`;
      if (kind === 'crossings-missing') return `Manjkajo številke ${door}`;
      if (kind === 'crossings-lost') return `Številke ${door} so izgubljene`;
      if (kind === 'disk-low') return `Pomnilnik števca ${door} je skoraj poln`;
      if (kind === 'version-old') return `Števec ${door} je treba posodobiti`;
      if (kind === 'cloned-unit') return `Dva števca se oglašata ${door}`;
      if (kind === 'direction-doubtful') return `Števec ${door} morda šteje v napačno smer`;
      if (kind === 'storage-failing') return `Števec ${door} ne more shranjevati številk`;
      if (kind === 'service-unavailable') return 'Številk ni mogoče prejeti iz nobene trgovine';
      if (kind === 'visitors-while-closed') return 'Nekdo je vstopil, ko je bila trgovina zaprta';
      if (kind === 'silent-while-open')
        return `Skozi ${name === undefined ? 'ena vrata' : `vrata »${isolated(name)}«`} ne gre nihče, čeprav je trgovina odprta`;
      if (kind === 'door-drift') return `Prihodi in odhodi ${door} se ne ujemajo več`;
      return 'Nekaj zahteva vašo pozornost';
    },
  },
} satisfies Partial<Text>;
