import { counted } from './locale.ts';
import type { reports as english } from './reports.en.ts';

export const reports: typeof english = {
  reports: {
    download: 'Zeitraum herunterladen',
    downloadExplain:
      'Besucher als Datei für eine Tabellenkalkulation, verglichen mit denselben Wochentagen davor.',
    table: 'Tabelle',
    tables: {
      day: 'Nach Tagen',
      hour: 'Nach Stunden',
      week: 'Nach Wochen',
      month: 'Nach Monaten',
      stores: 'Nach Filialen',
    },
    scope: 'Welche Filialen',
    allStores: 'Alle Filialen',
    groups: 'Gruppen',
    stores: 'Filialen',
    someStores: (n: number) => counted(n, { one: 'Filiale', other: 'Filialen' }),
    from: 'Von',
    to: 'Bis',
    wrongPeriod: 'Bitte geben Sie zwei Tage ein, den früheren zuerst.',
    byMail: 'Berichte per E-Mail',
    explain:
      'Ein Bericht kommt zwei Minuten, nachdem die letzte seiner Filialen geschlossen hat, und sagt, ob er vollständig ist. Treffen Zahlen später ein und ändern ihn, erhalten Sie einen korrigierten Bericht.',
    none: 'Es ist noch kein Bericht eingerichtet.',
    add: 'Bericht hinzufügen',
    name: 'Name',
    period: 'Wie oft',
    periods: { daily: 'Jeden Tag', weekly: 'Jede Woche', monthly: 'Jeden Monat' },
    recipients: 'E-Mail-Adressen, eine je Zeile',
    enabled: 'Diesen Bericht senden',
    off: 'Ausgeschaltet',
    remove: 'Entfernen',
    sent: (time: string) => `Zuletzt gesendet ${time}`,
    neverSent: 'Noch nicht gesendet',
    problem: 'Die letzte E-Mail konnte nicht gesendet werden. Der Server versucht es noch einmal.',
    refused:
      'Das kann nicht gespeichert werden. Bitte prüfen Sie die Adressen und den Namen: Kein anderer Bericht darf ebenso heißen.',
  },
};
