import type { AlertWords, WrittenFacts } from './alert-words.ts';

const counter = ({ door, store }: WrittenFacts) => `Števec pri vratih »${door}« (${store})`;
const at = ({ door, store }: WrittenFacts) => `pri vratih »${door}« (${store})`;

const storageProblems: Readonly<Record<string, string>> = {
  full: 'Njegova pomnilniška kartica je polna.',
  limit: 'Njegov pomnilnik je poln.',
};

export const sl: AlertWords = {
  locale: 'sl-SI',
  alert: 'Opozorilo',
  over: 'Končano',
  fromTo: (from, to) => `Od ${from} do ${to}.`,
  serial: (serial) => `Za monterja: števec ${serial}`,
  people: { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' },
  kinds: {
    'device-inactive': {
      title: ({ door }) => `števec pri vratih »${door}« se ne oglaša`,
      raised: (facts) => `${counter(facts)} se ne oglaša. Nazadnje: ${facts.since}.`,
      advice: 'Preverite napajanje in omrežje. Če ima napajanje, šteje naprej in številke pošlje pozneje.',
      cleared: (facts) => `${counter(facts)} spet deluje.`,
    },
    'beam-blocked': {
      title: ({ door }) => `svetlobni žarek števca pri vratih »${door}« je zakrit`,
      raised: (facts) =>
        `Svetlobni žarek števca ${at(facts)} je zakrit (od ${facts.since}). Tam se nihče ne šteje.`,
      advice: 'Odstranite predmet, ki zakriva žarek. Če ga ni, pokličite monterja.',
      cleared: (facts) => `Svetlobni žarek števca ${at(facts)} ni več zakrit.`,
    },
    'beam-flickering': {
      title: ({ door }) => `svetlobni žarek števca pri vratih »${door}« utripa`,
      raised: (facts) =>
        `Svetlobni žarek števca ${at(facts)} utripa (od ${facts.since}). Tamkajšnje številke so napačne, večinoma prenizke.`,
      advice: 'Števec zaščitite pred soncem in svetilkami. Če to ne pomaga, pokličite monterja.',
      cleared: (facts) => `Svetlobni žarek števca ${at(facts)} ne utripa več.`,
    },
    'capacity-reached': {
      title: () => 'trgovina je polna',
      raised: ({ store, people, number }) =>
        `Trgovina ${store} je polna. V njej: ${people('occupancy')}, zmogljivost ${number('capacity')}.`,
      cleared: ({ store }) => `V trgovini ${store} je spet prostor.`,
    },
    'data-overdue': {
      title: () => 'številke zamujajo',
      raised: ({ store, since }) => `Številke trgovine ${store} niso popolne: manjkajo od ${since}.`,
      advice: 'Preverite napajanje in omrežje števcev. Številke se popravijo, ko prispejo.',
      cleared: ({ store }) => `Številke trgovine ${store} so spet popolne.`,
    },
    'limits-exceeded': {
      title: ({ door }) => `števec pri vratih »${door}« je naštel preveč ljudi`,
      raised: (facts) =>
        `${counter(facts)} je od ${facts.since} naštel več ljudi, kot jih lahko gre skozi vrata. Številke so morda napačne.`,
      advice: 'Pokličite upravljavca.',
      cleared: (facts) => `${counter(facts)} spet šteje kot običajno.`,
    },
    'crossings-missing': {
      title: ({ door }) => `manjkajo številke pri vratih »${door}«`,
      raised: (facts) =>
        `V številkah ${at(facts)} manjka: ${facts.people('count')}. Podatki lahko še prispejo. Če je bila pomnilniška kartica števca zamenjana, vprašajte monterja po stari.`,
      cleared: (facts) => `Številke ${at(facts)} ne manjkajo več.`,
    },
    'crossings-lost': {
      title: ({ door }) => `številke pri vratih »${door}« so izgubljene`,
      raised: (facts) => `Ljudi ${at(facts)} ni bilo mogoče prešteti: ${facts.people('count')}.`,
      advice: 'Ostanejo neprešteti. Če se vam število na strani zdi napačno, ga nastavite.',
      cleared: (facts) => `Že en dan se ${at(facts)} ni nič več izgubilo.`,
    },
    'cloned-unit': {
      title: ({ door }) => `dva števca se predstavljata kot »${door}«`,
      raised: ({ door, store }) =>
        `Dva števca se predstavljata kot »${door}« (${store}) ali pa je pomnilniška kartica števca stara kopija. Nekatere številke so izpuščene, dokler niso preverjene.`,
      advice: 'Pokličite upravljavca.',
      cleared: ({ door, store }) => `Kot »${door}« (${store}) se spet predstavlja samo en števec.`,
    },
    'direction-doubtful': {
      title: ({ door }) => `prihodi in odhodi pri vratih »${door}« se ne ujemajo`,
      raised: (facts) =>
        `${counter(facts)} morda šteje v napačno smer ali ene smeri ne šteje prav: prihodi in odhodi se ne ujemajo.`,
      advice: 'Preverite, ali je kaj v njegovem žarku. Če ne, pokličite monterja.',
      cleared: (facts) => `Prihodi in odhodi ${at(facts)} se spet ujemajo.`,
    },
    'disk-low': {
      title: ({ door }) => `pomnilnik števca pri vratih »${door}« je skoraj poln`,
      raised: (facts) =>
        `${counter(facts)} ima skoraj poln pomnilnik. Prostega: ${facts.number('megabytes')} MB.`,
      advice: 'Pokličite monterja.',
      cleared: (facts) => `${counter(facts)} ima spet prost pomnilnik.`,
    },
    'version-old': {
      title: ({ door }) => `števec pri vratih »${door}« je treba posodobiti`,
      raised: (facts) =>
        `${counter(facts)} ima različico ${facts.text('version')}, ki je starejša od ${facts.text('expected')}.`,
      advice: 'Pokličite upravljavca.',
      cleared: (facts) => `${counter(facts)} ne potrebuje več posodobitve.`,
    },
    'update-failed': {
      title: ({ door }) => `števca pri vratih »${door}« ni bilo mogoče posodobiti`,
      raised: (facts) =>
        `Števca ${at(facts)} ni bilo mogoče posodobiti na različico ${facts.text('expected')}. Šteje s prejšnjo različico.`,
      advice: 'Pokličite upravljavca.',
      cleared: (facts) => `${counter(facts)} ne potrebuje več druge različice.`,
    },
    'storage-failing': {
      title: ({ door }) => `števec pri vratih »${door}« ne more shranjevati številk`,
      raised: (facts) =>
        `${counter(facts)} od ${facts.since} ne more shranjevati številk. ${storageProblems[facts.text('problem')] ?? 'Njegova pomnilniška kartica je okvarjena in jo je treba zamenjati.'} Še ni shranjeno: ${facts.people('held')}.`,
      advice: 'Ne izklapljajte ga. Pokličite monterja.',
      cleared: (facts) => `${counter(facts)} spet shranjuje številke.`,
    },
    'visitors-while-closed': {
      title: () => 'nekdo je vstopil, ko je bila trgovina zaprta',
      raised: ({ store, since, people }) =>
        `Trgovina ${store} je zaprta. Vstopili od ${since}: ${people('people')}.`,
      cleared: ({ store }) => `V trgovino ${store} že dve uri ni nihče vstopil ali pa je odprta.`,
    },
    'silent-while-open': {
      title: ({ door }) => `skozi vrata »${door}« ne gre nihče`,
      raised: ({ door, store, since, people }) =>
        `Skozi vrata »${door}« (${store}) od ${since} ni šel nihče, čeprav je trgovina odprta. Običajno v tem času: vsaj ${people('missed')}.`,
      advice: 'Preverite, ali so vrata odprta in ali kaj zakriva svetlobni žarek števca.',
      cleared: ({ door, store }) =>
        `Skozi vrata »${door}« (${store}) spet hodijo ljudje ali pa je trgovina zaprta.`,
    },
    'service-unavailable': {
      title: () => 'številk ni mogoče prejeti iz nobene trgovine',
      raised: ({ since }) =>
        `Od ${since} ni mogoče prejeti številk iz nobene trgovine. Števci štejejo naprej in jih pošljejo pozneje.`,
      advice: 'Pokličite upravljavca.',
      cleared: () => 'Številke spet prihajajo.',
    },
    flapping: {
      title: ({ again }) => `vedno znova: ${again}`,
      raised: ({ again }) =>
        `To se vedno znova začenja in končuje: ${again}. O tem ne boste več dobivali sporočil, dokler ne bo eno uro mirno.`,
      cleared: ({ again }) => `Eno uro se ni več ponovilo: ${again}.`,
    },
    test: {
      title: () => 'to je preizkus',
      raised: () => 'To je preizkus. Vse je v redu.',
      cleared: () => 'Preizkus je končan.',
    },
  },
};
