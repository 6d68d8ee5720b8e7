import type { Text } from './en.ts';
import { counted, isolated, number, signed } from './locale.ts';

const visitors = (n: number) => `${number(n)} Besucher`;

export const store = {
  ranges: {
    label: 'Zeitraum',
    today: 'Heute',
    yesterday: 'Gestern',
    '7d': '7 Tage',
    '4w': '4 Wochen',
    month: 'Dieser Monat',
    year: 'Dieses Jahr',
    custom: 'Andere Tage',
    choose: 'Zeitraum wählen',
    from: 'Erster Tag',
    to: 'Letzter Tag',
    show: 'Anzeigen',
    order: 'Der erste Tag darf nicht nach dem letzten liegen.',
    compare: 'Vergleichen mit',
    previous: 'Zeitraum davor',
    weekdays: 'Gleiche Wochentage davor',
    weekBefore: 'Gleicher Tag der Vorwoche',
    dayBefore: 'Tag davor',
    yearBefore: 'Jahr davor',
  },
  chart: {
    by: {
      hour: 'Besucher nach Stunde',
      day: 'Besucher nach Tag',
      week: 'Besucher nach Woche',
      month: 'Besucher nach Monat',
      stores: 'Besucher nach Filiale',
    },
    summary: (n, period) => `${visitors(n)}, ${period}. Die Tabelle darunter zeigt dieselben Zahlen.`,
    capacity: (n) => `Kapazität ${number(n)}`,
    table: 'Als Tabelle zeigen',
    compared: (period) => `Davor: ${period}`,
    gap: 'Unvollständig',
    closed: 'Geschlossen',
    clockChange: { before: 'vor der Zeitumstellung', after: 'nach der Zeitumstellung' },
    insideAt: (n, time) => `${number(n)} im Laden um ${time}`,
    whileClosed: (n) => `${visitors(n)}, während geschlossen war`,
    showClosed: 'Geschlossene Stunden zeigen',
    none: 'Keine Besucher in diesem Zeitraum.',
    staff: (n) => `${number(n)} Mitarbeiter abgezogen`,
  },
  figures: {
    comparable: (n) => `${number(n)} in den Zeiten, die beide Zeiträume haben`,
    against: (before, period) => `gegenüber ${before} (${period})`,
    againstUntil: (before, period, time) => `gegenüber ${before} (${period}, bis ${time})`,
    noneBefore: 'Kein Vergleich möglich',
    busiestHour: 'Stärkste Stunde',
    busiestDay: 'Bester Tag',
    average: 'Tagesschnitt',
    days: (n) => counted(n, { one: 'vollständiger Tag', other: 'vollständige Tage' }),
    sales: (n) => counted(n, { one: 'Verkauf', other: 'Verkäufe' }),
    onAverage: (hours) => `im Durchschnitt, ${hours}`,
  },
  whyInside: {
    set: (came, left, inside, by) =>
      `${number(came)} kamen und ${number(left)} gingen, aber ${number(inside)} sind im Laden, weil ${isolated(by)} die Zahl festgelegt hat.`,
    floor: (came, left, inside) =>
      `${number(came)} kamen und ${number(left)} gingen, aber ${number(inside)} sind im Laden, weil die Zahl nie unter null sinkt.`,
  },
  balance: {
    even: 'Es gingen so viele, wie kamen',
    few: 'Zu wenige Personen, um Kommen und Gehen zu vergleichen',
    open: 'Kommen und Gehen lassen sich vergleichen, wenn alle gegangen sind',
    moreIn: (more, error) =>
      `Es kamen ${more} mehr, als gingen${error === undefined ? '' : `; die Besucher können etwa ${error} zu hoch sein`}`,
    moreOut: (more, error) =>
      `Es gingen ${number(more)} mehr, als kamen${error === undefined ? '' : `; die Besucher können etwa ${error} zu niedrig sein`}`,
  },
  heatmap: {
    heading: 'Wann Besucher kommen',
    hint: 'Durchschnittliche Besucherzahl je Stunde in diesem Zeitraum. Schraffiert: geschlossen oder noch nicht vollständig.',
    cell: (day, hour, n) => `${day}, ${hour}: durchschnittlich ${number(n)} Besucher`,
    none: 'Noch keine vollständige Stunde in diesem Zeitraum.',
  },
  doors: {
    heading: 'Türen',
    in: 'Herein',
    out: 'Hinaus',
    before: {
      day: 'Herein, Vortag',
      week: 'Herein, Vorwoche',
      year: 'Herein, Vorjahr',
      other: 'Herein, Zeitraum davor',
    },
    share: 'Anteil',
  },
  store: {
    unknown: 'Diese Filiale gibt es nicht, oder Sie dürfen sie nicht sehen.',
    ask: 'Fragen Sie Ihren Betreiber, für welche Filialen Ihr Zugangsschlüssel gilt.',
    health: 'Sind die Zahlen verlässlich?',
    wall: 'Als Wandanzeige öffnen',
    download: 'Herunterladen',
    print: 'Drucken',
    corrected: ({ by, people, was }, at) =>
      `Um ${at} hat ${by} die Zahl von ${number(was)} auf ${number(people)} geändert (${signed(people - was)}).`,
  },
  staffTap: {
    button: 'Personal ist gekommen',
    explain: 'Personal zählt nicht als Besucher. Wie viele sind gerade hereingekommen?',
    done: (n) => `${counted(n, { one: 'Person zählt', other: 'Personen zählen' })} nicht als Besucher.`,
    entry: (n, time) => `${time}: ${counted(n, { one: 'Person', other: 'Personen' })}`,
  },
  correction: {
    heading: 'Zahl der Personen im Laden festlegen',
    explain:
      'Zählen Sie die Personen im Laden und geben Sie die Zahl ein. Wir speichern, wer sie festgelegt hat.',
    button: 'Festlegen',
    none: 'Heute hat niemand die Zahl festgelegt.',
    entry: (n, by, at) => `${at}: ${by} hat die Zahl auf ${number(n)} festgelegt`,
    undo: 'Rückgängig machen',
    undoneBy: (by) => `rückgängig gemacht von ${by}`,
    open: 'Zahl festlegen',
    certain: 'Ja, die Zahl stimmt',
    change: (now, then) =>
      then === now
        ? `${number(now)} im Laden, wie jetzt.`
        : `${number(then)} statt ${number(now)} im Laden (${signed(then - now)}), von jetzt an, auch in allen Berichten.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} Personen sind mehr als das Doppelte der Kapazität von ${number(capacity)}. Stimmt die Zahl?`,
    aboveHighest: (people, highest) =>
      `In den letzten vier Wochen waren nie mehr als ${number(highest)} Personen im Laden. Stimmt ${number(people)}?`,
    unansweredSince: (time) =>
      `Der Server antwortet nicht. Ihre Zahl von ${time} bleibt hier stehen. Bitte versuchen Sie es noch einmal.`,
  },
} satisfies Partial<Text>;
