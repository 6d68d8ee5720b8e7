import { visitorWords } from '@visitor-counter/domain/visitor-words';
import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';
import { settings } from './settings.de.ts';
import { store } from './store.de.ts';
import { stores } from './stores.de.ts';

const people = (n: number) => counted(n, { one: 'Person', other: 'Personen' });
const atDoor = (name: string | undefined) =>
  name === undefined ? 'an einer Tür' : `an der Tür „${isolated(name)}“`;

export const de: Text = {
  title: 'Besucherzähler',
  skip: 'Zum Inhalt',
  language: 'Sprache',
  nav: {
    label: 'Seiten',
    overview: 'Filialen',
    devices: 'Zähler',
    wall: 'Anzeige',
    settings: 'Einstellungen',
    reports: 'Berichte',
    signOut: 'Abmelden',
  },
  signIn: {
    heading: 'Anmelden',
    token: 'Zugangsschlüssel',
    hint: 'Sie haben ihn von Ihrem Betreiber erhalten.',
    wrong: 'Dieser Zugangsschlüssel gilt nicht für diese Seite.',
    insecure:
      'Die Verbindung ist nicht verschlüsselt, darum wird Ihr Zugangsschlüssel nicht angenommen. Öffnen Sie die Adresse mit https:// am Anfang, oder fragen Sie Ihren Betreiber.',
    tooMany: 'Zu viele Versuche. Bitte versuchen Sie es in einer Minute noch einmal.',
    over: 'Sie wurden abgemeldet. Bitte melden Sie sich wieder an.',
    notOut:
      'Der Server ist nicht erreichbar, darum sind Sie auf diesem Gerät noch angemeldet. Bitte laden Sie die Seite später neu und melden Sie sich dann ab.',
  },
  contact: {
    connecting: 'Verbindung wird hergestellt …',
    live: 'Live',
    polled: 'Alle 5 Sekunden',
    whyPolled:
      'Laufende Zahlen kommen auf diesem Gerät nicht an, darum fragt die Seite alle 5 Sekunden nach. Ihr Betreiber kann das ändern.',
    old: 'Nicht live',
    stale: (since) => `Der Server kann seine Daten gerade nicht lesen. Die Zahlen sind von ${since}.`,
    lost: (since) => `Keine Verbindung zum Server. Die Zahlen sind von ${since}.`,
    never: 'Keine Verbindung zum Server.',
  },
  failed: 'Das konnte nicht geladen werden.',
  unreachable: 'Der Server ist nicht erreichbar. Bitte versuchen Sie es noch einmal.',
  refused: 'Das kann so nicht gespeichert werden. Bitte prüfen Sie Ihre Eingaben.',
  again: 'Noch einmal versuchen',
  goOn: 'Weitermachen',
  loading: 'Wird geladen …',
  cancel: 'Abbrechen',
  notFound: 'Nichts gefunden.',
  showAll: 'Alle anzeigen',
  save: 'Speichern',
  insideNow: 'Gerade im Laden',
  peopleInside: 'Personen im Laden',
  staff: 'Personal',
  door: 'Tür',
  yourName: 'Ihr Name',
  optionalNote: 'Bemerkung (freiwillig)',
  saving: 'Wird gespeichert …',
  enteredToday: 'Heute eingetragen',
  remove: 'Entfernen',
  since: (time) => `seit ${time}`,
  inside: (capacity) =>
    capacity === null ? 'gerade im Laden' : `gerade im Laden, Kapazität ${number(capacity)}`,
  opening: {
    closed: 'Geschlossen',
    at: (time) => `öffnet um ${time}`,
    on: (day, time) => `öffnet ${day}, ${time}`,
  },
  full: 'Voll',
  nearlyFull: 'Fast voll',
  overfull: (n) => `${number(n)} zu viel`,
  capacity: (percent) => `${percent} ausgelastet`,
  healthy: 'Alle Zähler arbeiten',
  verdicts: {
    accurate: 'Den Zahlen ist zu trauen',
    unproven: 'Wie genau die Zahlen sind, ist noch nicht bekannt',
    doubtful: 'Die Zahlen können falsch sein',
    dead: 'Ein Zähler arbeitet nicht',
  },
  complete: 'Alles, was in dieser Zeit gezählt wurde, ist angekommen',
  doubtful: 'Die Zahl kann falsch sein',
  completeUntil: (time) => `Vollständig bis ${time}`,
  completeUnknown: 'Es ist nicht bekannt, bis wann die Zahlen vollständig sind',
  obstacles: {
    offline: (name) => `Der Zähler ${atDoor(name)} ist offline`,
    'never-connected': (name) => `Der Zähler ${atDoor(name)} war noch nie verbunden`,
    pending: (name, n) => `Der Zähler ${atDoor(name)} hat noch ${people(n)} gezählt; die Zahlen folgen`,
    'pending-unknown': (name) =>
      `Es ist nicht bekannt, wie viel der Zähler ${atDoor(name)} noch liefern muss`,
    missing: (name, n) => `In den Zahlen fehlen ${people(n)} ${atDoor(name)}; sie können noch eintreffen`,
    lost: (name, n) => `${people(n)} ${atDoor(name)} konnten nicht gezählt werden`,
    conflict: (name) =>
      `Einige Zahlen ${atDoor(name)} müssen erst geprüft werden: Rufen Sie Ihren Betreiber an`,
    'beam-blocked': (name) => `Lichtschranke ${atDoor(name)} verdeckt: Dort wird niemand gezählt`,
    'beam-flickering': (name) =>
      `Die Lichtschranke ${atDoor(name)} flackert: Ihre Zahlen sind falsch, meist zu niedrig`,
    'beams-unreadable': (name) =>
      `Rufen Sie Ihren Installateur an: Der Zähler ${atDoor(name)} ist defekt, dort wird niemand gezählt`,
    'direction-doubtful': (name) => `Der Zähler ${atDoor(name)} hält offenbar Ankommende für Gehende`,
    'storage-losing': (name, n) =>
      `Der Zähler ${atDoor(name)} kann ${people(n)} nicht speichern: Schalten Sie ihn nicht aus und rufen Sie Ihren Installateur an`,
    'storage-failing': (name) =>
      `Der Zähler ${atDoor(name)} hat eine defekte Speicherkarte: Rufen Sie Ihren Installateur an`,
    'storage-full': (name) =>
      `Der Zähler ${atDoor(name)} hat eine volle Speicherkarte: Rufen Sie Ihren Installateur an`,
    'clock-unsynced': (name) => `Die Uhr des Zählers ${atDoor(name)} ist nicht gestellt oder falsch`,
    'no-devices': () => 'Hier ist kein Zähler eingebaut',
    other: (name) => `Der Zähler ${atDoor(name)} hat ein Problem`,
  },
  alerts: {
    heading: 'Warnungen der letzten 24 Stunden',
    none: 'Keine Warnungen.',
    open: 'Jetzt:',
    over: 'Vorbei:',
    fromTo: (from, to) => `${from} bis ${to}`,
    kinds: {
      'device-inactive': (name) => `Der Zähler ${atDoor(name)} meldet sich nicht`,
      'capacity-reached': (_, n) =>
        `Die Filiale ist voll${n === 0 ? '' : `, bei einer Kapazität von ${people(n)}`}`,
      'data-overdue': () => 'Zahlen sind überfällig',
      'limits-exceeded': () => 'Ein Zähler zählt mehr, als durch eine Tür passt',
      'disk-low': (name) => `Der Speicher des Zählers ${atDoor(name)} ist fast voll`,
      'cloned-unit': (name) => `Zwei Zähler melden sich ${atDoor(name)}`,
      flapping: (name) => `Dasselbe Problem tritt ${atDoor(name)} immer wieder auf`,
      'crossings-missing': (name) => `Zahlen ${atDoor(name)} fehlen`,
      'crossings-lost': (name) => `Zahlen ${atDoor(name)} sind verloren`,
      'version-old': (name) => `Der Zähler ${atDoor(name)} braucht eine Aktualisierung`,
      'update-failed': (name) => `Der Zähler ${atDoor(name)} konnte nicht aktualisiert werden`,
      'storage-failing': (name) => `Der Zähler ${atDoor(name)} kann seine Zahlen nicht speichern`,
      'service-unavailable': () => 'Von keiner Filiale können Zahlen empfangen werden',
      'visitors-while-closed': () => 'Jemand kam herein, obwohl geschlossen war',
      'silent-while-open': (name) =>
        `Niemand geht ${name === undefined ? 'durch eine Tür' : `durch die Tür „${isolated(name)}“`}, obwohl geöffnet ist`,
      'direction-doubtful': (name) => `Ankommende und Gehende passen ${atDoor(name)} nicht zusammen`,
    },
  },
  words: visitorWords.de,
  ...settings,
  ...store,
  ...stores,
};
