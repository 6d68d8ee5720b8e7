/** The words of tables with visitors, in the languages of mails and files. */
const en = {
  allStores: 'All stores',
  store: 'Store',
  /** The sid of a store. */
  storeNumber: 'Store no.',
  count: 'Visitors',
  out: 'Went out',
  before: 'Before',
  change: 'Change',
  staff: 'Staff left out',
  sales: 'Sales',
  amount: 'Amount',
  conversion: 'Conversion',
  note: 'Note',
  total: 'Total',
  time: 'Time',
  /** Why a number may change. */
  reasons: {
    running: 'Not over yet',
    late: 'A counter has not delivered everything yet',
    lost: 'People could not be counted',
    'not-started': 'No data from before the store began to count',
  },
};

export type VisitorWords = Readonly<typeof en>;

export const visitorWords: Readonly<Record<'en' | 'de' | 'es' | 'sl', VisitorWords>> = {
  en,
  de: {
    allStores: 'Alle Filialen',
    store: 'Filiale',
    storeNumber: 'Filial-Nr.',
    count: 'Besucher',
    out: 'Hinausgegangen',
    before: 'Davor',
    change: 'Veränderung',
    staff: 'Ohne Personal',
    sales: 'Verkäufe',
    amount: 'Betrag',
    conversion: 'Abschlussquote',
    note: 'Hinweis',
    total: 'Summe',
    time: 'Zeit',
    reasons: {
      running: 'Läuft noch',
      late: 'Ein Zähler hat noch nicht alles geliefert',
      lost: 'Personen konnten nicht gezählt werden',
      'not-started': 'Daten gibt es erst, seit in der Filiale gezählt wird',
    },
  },
  es: {
    allStores: 'Todas las tiendas',
    store: 'Tienda',
    storeNumber: 'N.º de tienda',
    count: 'Visitantes',
    out: 'Salidas',
    before: 'Antes',
    change: 'Variación',
    staff: 'Sin el personal',
    sales: 'Ventas',
    amount: 'Importe',
    conversion: 'Conversión',
    note: 'Nota',
    total: 'Total',
    time: 'Hora',
    reasons: {
      running: 'En curso',
      late: 'Un contador aún no ha enviado todo',
      lost: 'No se pudo contar a algunas personas',
      'not-started': 'No hay datos de antes de que la tienda empezara a contar',
    },
  },
  sl: {
    allStores: 'Vse trgovine',
    store: 'Trgovina',
    storeNumber: 'Št. trgovine',
    count: 'Obiskovalci',
    out: 'Odhodi',
    before: 'Prej',
    change: 'Sprememba',
    staff: 'Brez osebja',
    sales: 'Nakupi',
    amount: 'Znesek',
    conversion: 'Delež kupcev',
    note: 'Opomba',
    total: 'Skupaj',
    time: 'Čas',
    reasons: {
      running: 'Še traja',
      late: 'Števec še ni poslal vseh številk',
      lost: 'Nekaterih ljudi ni bilo mogoče prešteti',
      'not-started': 'Podatki so šele od začetka štetja v trgovini',
    },
  },
};

/** The words of a language tag such as `de-AT`; English for other languages. */
export function visitorWordsOf(locale: string): VisitorWords {
  const { language } = new Intl.Locale(locale);
  return Object.entries(visitorWords).find(([code]) => code === language)?.[1] ?? en;
}
