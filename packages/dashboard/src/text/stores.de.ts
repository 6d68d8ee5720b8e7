import type { Text } from './en.ts';
import { counted, number } from './locale.ts';

const storesOf = (n: number) => counted(n, { one: 'Filiale', other: 'Filialen' });

export const stores = {
  nothing: 'Es gibt noch keine Filialen.',
  stores: {
    asOf: (ago) => `Stand der Zahlen: ${ago}. Neue werden geladen.`,
    insideNow: 'Gerade im Laden',
    inside: 'im Laden',
    visitors: 'Besucher',
    store: 'Filiale',
    change: 'Veränderung',
    before: (n, compare, isToday) =>
      isToday
        ? `${n} um diese Zeit ${{ weekdays: 'vor einer Woche', previous: 'am Tag davor', year: 'vor einem Jahr' }[compare]}`
        : `${n} ${{ weekdays: 'an denselben Wochentagen davor', previous: 'im Zeitraum davor', year: 'ein Jahr davor' }[compare]}`,
    compared: (visitors, n) =>
      `${visitors} ohne ${counted(n, { one: 'neuere Filiale', other: 'neuere Filialen' })}`,
    incomplete: 'Es fehlen Zahlen',
    noData: 'Noch keine Daten',
    incompleteStores: (n) => `Zahlen von ${storesOf(n)} sind unvollständig`,
    closedStores: (n) => `${number(n)} jetzt geschlossen`,
    closedNow: (n) => `Jetzt geschlossen: ${storesOf(n)}`,
    theirVisitors: (n) => `Besucher: ${n}`,
    troubleStores: (n) => (n === 0 ? 'alle Zähler arbeiten richtig' : `${number(n)} mit Störung`),
    trouble: (n) => `Störung: ${storesOf(n)}`,
    search: 'Filialen suchen',
    group: 'Gruppe',
    allGroups: 'Alle Gruppen',
    sort: 'Reihenfolge',
    sorts: {
      attention: 'Störungen zuerst',
      visitors: 'Meiste Besucher',
      change: 'Größtes Wachstum',
      inside: 'Meiste Personen im Laden',
      name: 'Nach Namen',
    },
    notFound: 'Keine Filiale gefunden.',
    showAll: 'Alle Filialen zeigen',
  },
  devices: {
    heading: 'Zähler',
    search: 'Zähler suchen',
    online: 'Online',
    offline: 'Offline',
    never: 'Noch nie verbunden',
    seen: (time) => `zuletzt gesehen ${time}`,
    follow: (n) => `${counted(n, { one: 'Person', other: 'Personen' })} noch zu übertragen`,
    serial: (serial) => `Seriennummer ${serial}`,
    version: (version) => `Version ${version}`,
    trouble: (n) => `Störung: ${number(n)}`,
    well: (n) => `In Ordnung: ${number(n)}`,
    door: 'Tür',
    notFound: 'Kein Zähler gefunden.',
    showAll: 'Alle Zähler zeigen',
    none: 'Es gibt noch keine Zähler.',
  },
  wall: {
    fullScreen: 'Vollbild',
    leave: 'Zurück',
    lost: 'Keine Verbindung',
    asOf: (time) => `Stand ${time}`,
    wait: 'Bitte warten',
    comeIn: 'Bitte eintreten',
    all: 'Alle Filialen zeigen',
    previous: 'Vorige Seite',
    next: 'Nächste Seite',
    pause: 'Anhalten',
    play: 'Weiter',
    page: (n, of) => `Seite ${number(n)} von ${number(of)}`,
  },
} satisfies Partial<Text>;
