import type { Text } from './en.ts';
import { counted, isolated, number, signedPercent } from './locale.ts';

const storesOf = (n: number) => counted(n, { one: 'Filiale', other: 'Filialen' });
const people = { one: 'Person', other: 'Personen' };
const way = { in: 'Herein', out: 'Hinaus' };

export const stores = {
  nothing: 'Es gibt noch keine Filialen.',
  stores: {
    asOf: (ago) => `Stand der Zahlen: ${ago}. Neue werden geladen.`,
    inside: 'im Laden',
    byNow: 'um diese Zeit',
    compared: (visitors, n) =>
      `${visitors} ohne ${counted(n, { one: 'neuere Filiale', other: 'neuere Filialen' })}`,
    zones: 'Die Filialen sind in mehreren Zeitzonen.',
    otherDays: (days, n) =>
      `${days} in jeder Filiale; ${storesOf(n)} ${n === 1 ? 'hat' : 'haben'} schon einen späteren Tag`,
    recorded: (n, days) => `an ${number(n)} von ${number(days)} Tagen gezählt`,
    incomplete: 'Es fehlen Zahlen',
    noData: 'Noch keine Daten',
    incompleteStores: (n) => `Zahlen von ${storesOf(n)} sind unvollständig`,
    closedNow: (n) => `Jetzt geschlossen: ${storesOf(n)}`,
    trouble: (n) => `Handlungsbedarf: ${storesOf(n)}`,
    search: 'Filialen suchen',
    group: 'Gruppe',
    allGroups: 'Alle Gruppen',
  },
  lastDay: {
    came: (n, stores, day) =>
      `${counted(n, { one: 'Besucher kam', other: 'Besucher kamen' })} am ${day}${stores === undefined ? '' : ` in ${storesOf(stores)}`},`,
    normal: (weekday) => `das ist normal für einen ${weekday}`,
    more: (weekday) => `das ist mehr als normal für einen ${weekday}`,
    fewer: (weekday) => `das ist weniger als normal für einen ${weekday}`,
    range: (low, high) => `${low} bis ${high}`,
    unusual: (name, n, range) => `${name} weicht am meisten ab: ${n} statt ${range}.`,
    noneUnusual: 'Keine Filiale liegt außerhalb dessen, was für sie normal ist.',
    complete: 'Alle Türen sind vollständig.',
    leftOut: (n) =>
      `Deren Türen sind alle vollständig; ohne ${storesOf(n)}, unvollständig oder zu neu für einen Vergleich.`,
    match: 'Es gingen so viele hinaus wie hereinkamen.',
    error: (part) => `Die Zahl kann um etwa ${part} falsch sein.`,
  },
  devices: {
    search: 'Zähler suchen',
    online: 'Online',
    offline: 'Offline',
    never: 'Noch nie verbunden',
    seen: (time) => `zuletzt gesehen ${time}`,
    follow: (n) => `${counted(n, { one: 'Person', other: 'Personen' })} noch zu übertragen`,
    serial: (serial) => `Seriennummer ${serial}`,
    version: (version) => `Version ${version}`,
    trouble: (n) => `Handlungsbedarf: ${number(n)}`,
    well: (n) => `In Ordnung: ${number(n)}`,
    none: 'Es gibt noch keine Zähler.',
  },
  wall: {
    fullScreen: 'Vollbild',
    leave: 'Zurück',
    lost: 'Keine Verbindung',
    asOf: (time) => `Stand ${time}`,
    wait: 'Bitte warten',
    comeIn: 'Bitte eintreten',
    previous: 'Vorige Seite',
    next: 'Nächste Seite',
    pause: 'Anhalten',
    page: (n, of) => `Seite ${number(n)} von ${number(of)}`,
  },
  audit: {
    link: 'Prüfen',
    heading: (door) => `${isolated(door)} prüfen`,
    unknown: 'Diese Tür gibt es nicht, oder Sie dürfen sie nicht sehen.',
    atTheDoor: 'Wie gut zählt diese Tür?',
    explain:
      'Stellen Sie sich an die Tür und tippen Sie für alle, die hindurchgehen. Nach etwa 200 Personen wissen Sie, wie gut der Zähler zählt.',
    hints: [
      'Tippen Sie einmal für jede Person, auch für Kinder und Personal.',
      'Tippen Sie nicht, wenn jemand in der Tür umkehrt.',
      'Ihre Eingaben bleiben auf diesem Gerät, bis sie gespeichert sind, auch ohne Verbindung.',
    ],
    begin: 'Beginnen',
    unfinished: (n) => `Eine Prüfung mit ${counted(n, people)} ist nicht abgeschlossen.`,
    way,
    nobody: 'Noch niemand',
    last: (one, time) => `${way[one]} um ${time}`,
    finish: 'Abschließen',
    full: (most) => `Eine Prüfung hat höchstens ${number(most)} Personen. Bitte schließen Sie sie ab.`,
    notKept:
      'Dieser Browser kann Ihre Eingaben nicht aufbewahren. Schließen Sie die Seite nicht und laden Sie sie nicht neu, bevor Sie fertig sind.',
    seen: (entries, exits) =>
      `Sie haben gesehen: ${counted(entries, people)} herein, ${number(exits)} hinaus.`,
    unsent:
      'Noch nicht gespeichert. Ihre Eingaben bleiben auf diesem Gerät, und die Seite versucht es weiter.',
    refused: (why) => `Das kann nicht gespeichert werden: ${why}`,
    discard: 'Verwerfen',
    discardSure: 'Alle Eingaben dieser Prüfung verwerfen?',
    pending:
      'Gespeichert. Das Ergebnis folgt, sobald der Zähler alles geliefert hat, meist innerhalb von zwei Minuten.',
    result: (error, { low, high }) =>
      `${signedPercent(error)}. Der Fehler des Zählers liegt höchstwahrscheinlich zwischen ${signedPercent(low)} und ${signedPercent(high)}.`,
    counts: (one, observed, found) => `${way[one]}: ${number(observed)} gesehen, ${number(found)} gezählt`,
    tooFew: (n, least) => `zu wenige Personen für ein Urteil (${number(n)} von mindestens ${number(least)})`,
    nobodySeen: (one) => `${way[one]}: niemand gesehen.`,
    meaning:
      'Bei 95 von 100 Prüfungen liegt der wahre Fehler in diesem Bereich. Je mehr Personen Sie beobachten, desto kleiner wird der Bereich.',
    removed:
      'Es gibt kein Ergebnis: Die Zahlen des Zählers aus dieser Zeit wurden nach der vereinbarten Frist gelöscht.',
    waiting: (n) => `${counted(n, people)} gesehen. Der Zähler hat noch nicht alles geliefert.`,
    earlier: 'Frühere Prüfungen',
    never: 'Diese Tür hat noch niemand geprüft.',
    upload: {
      heading: 'Stattdessen eine Liste hochladen',
      explain:
        'Eine CSV-Datei mit einer Zeile für jede Person: die Zeit, etwa 2026-11-20 10:15:30, ein Komma, dann in oder out.',
      file: 'Datei',
      button: 'Hochladen',
      line: (n, value) => `Zeile ${number(n)} ist nicht verwendbar: ${value}`,
    },
    checked: (day, by) => `Geprüft am ${day} von ${isolated(by)}`,
    error: (one, error, { low, high }) =>
      `${way[one]} ${signedPercent(error)} (${signedPercent(low)} bis ${signedPercent(high)})`,
    unchecked: 'Noch nicht geprüft',
  },
} satisfies Partial<Text>;
