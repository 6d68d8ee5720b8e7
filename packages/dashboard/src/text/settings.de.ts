import type { Text } from './en.ts';
import { counted } from './locale.ts';

const dates = { one: 'Tag', other: 'Tage' };

export const settings = {
  settings: {
    storesExplain: 'Wählen Sie eine Filiale, um Kapazität, Öffnungszeiten und Personal festzulegen.',
    saved: 'Gespeichert.',
    date: 'Datum',
    people: 'Personen',
    capacity: 'Kapazität',
    capacityExplain:
      'Wie viele Personen gleichzeitig im Laden sein dürfen. Die Seite warnt, wenn die Filiale fast voll ist.',
    capacityHint: 'Leer lassen, wenn es keine Grenze gibt.',
    hours: 'Öffnungszeiten',
    hoursExplain:
      'Stunden, in denen die Filiale geschlossen ist, werden in Diagrammen ausgeblendet und zählen nicht für Durchschnitte. Alle Zeiten sind die der Filiale.',
    always: 'Immer geöffnet',
    from: 'von',
    to: 'bis',
    wholeDay: 'Ganztägig',
    addHours: 'Zeit hinzufügen',
    allDays: 'Für alle Tage übernehmen',
    exceptions: 'Tage mit anderen Zeiten',
    past: (n) => `${counted(n, { one: 'vergangener Tag', other: 'vergangene Tage' })}.`,
    addDate: 'Tag hinzufügen',
    noDate: 'Bitte geben Sie ein Datum ein.',
    twice: (date) => `${date} ist zweimal eingetragen.`,
    wrongHours: {
      incomplete: 'Bitte geben Sie beide Uhrzeiten ein.',
      empty:
        'Eine Zeit darf nicht enden, wenn sie beginnt. Geben Sie für einen ganzen Tag zweimal Mitternacht ein.',
      overlap: 'Zeiten überschneiden sich.',
    },
    calendar: {
      heading: 'Feiertage aus einer Kalenderdatei importieren',
      explain:
        'Eine Datei mit der Endung .ics. Tage darin werden zu Tagen mit anderen Zeiten; ein Termin mit Uhrzeiten wird zu den Öffnungszeiten seines Tages. Was Sie importieren, wird sofort gespeichert.',
      file: 'Kalenderdatei',
      allDay: 'An jedem ganztägigen Termin ist die Filiale geschlossen',
      button: 'Importieren',
      refused: 'Diese Datei kann nicht als Kalender gelesen werden oder ist größer als 1 MB.',
      imported: (n) =>
        n === 0 ? 'Es wurde nichts importiert.' : `Importiert und gespeichert: ${counted(n, dates)}.`,
      leftOut: (n) => `${counted(n, { one: 'Termin', other: 'Termine' })} ausgelassen`,
      reasons: {
        'all-day-not-closed': 'er sagt nicht, dass die Filiale geschlossen ist',
        'closed-with-times':
          'er sagt „geschlossen“ und hat Uhrzeiten: Bitte geben Sie diese Zeiten selbst ein',
        cancelled: 'er ist abgesagt',
        past: 'er liegt in der Vergangenheit',
        'too-late': 'er liegt mehr als zwei Jahre in der Zukunft',
        'too-long': 'er dauert länger als einen Tag',
        'too-often': 'er wiederholt sich zu oft',
        'unknown-time-zone': 'seine Zeitzone ist nicht bekannt',
        'not-understood': 'er ist nicht verständlich',
      },
    },
    staffExplain:
      'Personal, das hereinkommt, wird wie alle anderen gezählt. Geben Sie ein, wie viele um welche Uhrzeit kommen: Sie zählen dann nicht als Besucher. In der Zahl der Personen im Laden sind sie enthalten.',
    staffSince: (date) => `Gilt seit ${date}.`,
    nobody: 'Niemand',
    addStaff: 'Personal hinzufügen',
    validFrom: 'Gültig ab',
    validFromHint: 'Für frühere Tage gilt weiterhin, was für sie eingetragen war.',
    wrongStaff: 'Bitte geben Sie eine Uhrzeit und 1 bis 1.000 Personen ein.',
    alerts: 'Warnungen',
    alertsExplain: 'Für alle Filialen. Offene Warnungen zeigt auch die Seite.',
    after: 'nach',
    minutes: 'Minuten',
    wrongMinutes: 'Bitte geben Sie 0 bis 43.200 Minuten ein.',
    recipients: 'Wer Warnungen per E-Mail erhält',
    recipientsExplain: 'Alle hier erhalten eine E-Mail, wenn eine Warnung beginnt und wenn sie vorbei ist.',
    mail: 'E-Mail-Adresse',
    sends: 'Erhält E-Mails',
    addMail: 'Adresse hinzufügen',
    mailTwice: 'Eine Adresse ist zweimal eingetragen.',
  },
  reports: {
    download: 'Zeitraum herunterladen',
    downloadExplain:
      'Besucher als Datei für eine Tabellenkalkulation, verglichen mit denselben Wochentagen davor.',
    table: 'Tabelle',
    scope: 'Welche Filialen',
    groups: 'Gruppen',
    someStores: (n) => counted(n, { one: 'Filiale', other: 'Filialen' }),
    byMail: 'Berichte per E-Mail',
    explain:
      'Ein Bericht kommt zwei Minuten, nachdem die letzte seiner Filialen geschlossen hat, oder zur gewählten Stunde, und sagt, ob er vollständig ist. Wenn nicht, erhalten Sie ihn noch einmal, sobald er vollständig ist.',
    none: 'Es ist noch kein Bericht eingerichtet.',
    add: 'Bericht hinzufügen',
    name: 'Name',
    period: 'Wie oft',
    periods: { daily: 'Jeden Tag', weekly: 'Jede Woche', monthly: 'Jeden Monat' },
    recipients: 'E-Mail-Adressen, eine je Zeile',
    enabled: 'Diesen Bericht senden',
    off: 'Ausgeschaltet',
    sent: (time) => `Zuletzt gesendet ${time}`,
    neverSent: 'Noch nicht gesendet',
    problem: 'Die letzte E-Mail konnte nicht gesendet werden. Der Server versucht es noch einmal.',
    noServer:
      'Es werden noch keine E-Mails gesendet: Der Server hat keinen Mailserver. Bitten Sie seinen Betreiber, einen einzurichten.',
    when: 'Wann',
    atClosing: 'Nach Ladenschluss',
    at: (time) => `um ${time}`,
    preview: 'Vorschau',
    test: 'Test an mich senden',
    testExplain: 'Sendet den Bericht über den letzten vollen Zeitraum nur an eine Adresse.',
    send: 'Senden',
    sending: 'Die E-Mail wird gesendet …',
    testSent: 'Der Mailserver hat die E-Mail angenommen.',
    testFailed: 'Die E-Mail konnte nicht gesendet werden.',
    refused:
      'Das kann nicht gespeichert werden. Bitte prüfen Sie die Adressen und den Namen: Kein anderer Bericht darf ebenso heißen.',
    removeSure: 'Diesen Bericht entfernen?',
  },
} satisfies Partial<Text>;
