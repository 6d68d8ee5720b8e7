import type { MailLanguage } from '@visitor-counter/domain/mail';
import { visitorWords } from '@visitor-counter/domain/visitor-words';
import type { Trouble } from './read-report.ts';

/** By the plural category of the number. */
type Plurals = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

const visitors: Plurals = { one: 'visitor', other: 'visitors' };

/** The texts of a report; numbers and dates come from Intl in the `locale`. The other languages have the same. */
const en = {
  locale: 'en-GB',
  visitors,
  /** Instead of a number of visitors: no store had begun to count. */
  noData: 'No data yet',
  completed: 'Now complete',
  test: 'Test',
  /** Why there is a second report about the same period. */
  again: 'You have received this report before. Now all counters have delivered everything.',
  complete: 'All counters have delivered everything. These numbers are complete.',
  /** The numbers of some stores are not complete, or may be wrong. */
  doubtful: 'These numbers are not complete, or may be wrong:',
  troubles: {
    late: 'A counter has not delivered everything yet. You will get this report again when it has.',
    lost: 'Some people are missing in the numbers or could not be counted.',
    'not-started': 'No data from before the store began to count.',
    'beam-blocked': 'The light of a counter is blocked: nobody is counted at its door.',
    'beams-unreadable': 'A counter has a fault and counts nobody: call your installer.',
    'beam-flickering': 'The light of a counter flickers: its numbers are mostly too low.',
    'direction-doubtful': 'A counter seems to take people coming in for people leaving.',
    'no-devices': 'No counter is installed in this store.',
  } satisfies Record<Trouble, string>,
  comparedWith: 'Compared with',
  /** Follows a number of visitors, or the change of it, that leaves out stores without an earlier number. */
  withoutNewer: 'without newer stores and days',
  ...visitorWords.en,
  byHour: 'By hour',
  byDay: 'By day',
  /** More stores are in the attached file. */
  more: 'More stores are in the attached file.',
  counted: 'Visitors are the people who came in, without declared staff. Counted until',
};

export type Words = Readonly<typeof en>;

export const words: Readonly<Record<MailLanguage, Words>> = {
  en,
  de: {
    locale: 'de-DE',
    visitors: { other: 'Besucher' },
    noData: 'Noch keine Daten',
    completed: 'Jetzt vollständig',
    test: 'Test',
    again: 'Sie haben diesen Bericht schon erhalten. Jetzt haben alle Zähler alles geliefert.',
    complete: 'Alle Zähler haben alles geliefert. Diese Zahlen sind vollständig.',
    doubtful: 'Diese Zahlen sind unvollständig oder können falsch sein:',
    troubles: {
      late: 'Ein Zähler hat noch nicht alles geliefert. Sie erhalten den Bericht noch einmal, sobald er es hat.',
      lost: 'Einige Personen fehlen in den Zahlen oder konnten nicht gezählt werden.',
      'not-started': 'Daten gibt es erst, seit in der Filiale gezählt wird.',
      'beam-blocked': 'Lichtschranke verdeckt: An ihrer Tür wird niemand gezählt.',
      'beams-unreadable': 'Ein Zähler ist defekt und zählt niemanden: Rufen Sie Ihren Installateur an.',
      'beam-flickering': 'Lichtschranke flackert: Die Zahlen ihrer Tür sind meist zu niedrig.',
      'direction-doubtful': 'Ein Zähler hält offenbar Ankommende für Gehende.',
      'no-devices': 'In dieser Filiale ist kein Zähler eingebaut.',
    },
    comparedWith: 'Verglichen mit',
    withoutNewer: 'ohne neuere Filialen und Tage',
    ...visitorWords.de,
    byHour: 'Nach Stunden',
    byDay: 'Nach Tagen',
    more: 'Weitere Filialen stehen in der angehängten Datei.',
    counted: 'Besucher sind die Personen, die hereingekommen sind, ohne gemeldetes Personal. Gezählt bis',
  },
  es: {
    locale: 'es-ES',
    visitors: { one: 'visitante', other: 'visitantes' },
    noData: 'Aún no hay datos',
    completed: 'Ahora completo',
    test: 'Prueba',
    again: 'Ya ha recibido este informe. Ahora todos los contadores lo han enviado todo.',
    complete: 'Todos los contadores lo han enviado todo. Estas cifras están completas.',
    doubtful: 'Estas cifras no están completas o pueden ser incorrectas:',
    troubles: {
      late: 'Un contador aún no lo ha enviado todo. Cuando lo haga, recibirá este informe otra vez.',
      lost: 'Faltan personas en las cifras o no se las pudo contar.',
      'not-started': 'No hay datos de antes de que la tienda empezara a contar.',
      'beam-blocked': 'La luz de un contador está tapada: en su puerta no se cuenta a nadie.',
      'beams-unreadable': 'Un contador está averiado y no cuenta a nadie: llame a su instalador.',
      'beam-flickering': 'La luz de un contador parpadea: sus cifras son casi siempre demasiado bajas.',
      'direction-doubtful': 'Un contador parece confundir a quienes entran con quienes salen.',
      'no-devices': 'En esta tienda no hay ningún contador instalado.',
    },
    comparedWith: 'En comparación con',
    withoutNewer: 'sin tiendas ni días más recientes',
    ...visitorWords.es,
    byHour: 'Por horas',
    byDay: 'Por días',
    more: 'Las demás tiendas están en el archivo adjunto.',
    counted: 'Los visitantes son las personas que entraron, sin el personal declarado. Contados hasta el',
  },
  sl: {
    locale: 'sl-SI',
    visitors: { one: 'obiskovalec', two: 'obiskovalca', few: 'obiskovalci', other: 'obiskovalcev' },
    noData: 'Podatkov še ni',
    completed: 'Zdaj popolno',
    test: 'Preizkus',
    again: 'To poročilo ste že prejeli. Zdaj so vsi števci poslali vse številke.',
    complete: 'Vsi števci so poslali vse številke. Te številke so popolne.',
    doubtful: 'Te številke niso popolne ali morda niso pravilne:',
    troubles: {
      late: 'Števec še ni poslal vseh številk. Ko jih bo, boste to poročilo prejeli še enkrat.',
      lost: 'Nekateri ljudje v številkah manjkajo ali jih ni bilo mogoče prešteti.',
      'not-started': 'Podatki so šele od začetka štetja v trgovini.',
      'beam-blocked': 'Svetlobni žarek števca je zakrit: pri njegovih vratih se nihče ne šteje.',
      'beams-unreadable': 'Števec je okvarjen in nikogar ne šteje: pokličite monterja.',
      'beam-flickering': 'Svetlobni žarek števca utripa: številke so večinoma prenizke.',
      'direction-doubtful': 'Števec najbrž zamenjuje prihode in odhode.',
      'no-devices': 'V tej trgovini ni nameščenega števca.',
    },
    comparedWith: 'Primerjava –',
    withoutNewer: 'brez novejših trgovin in dni',
    ...visitorWords.sl,
    byHour: 'Po urah',
    byDay: 'Po dnevih',
    more: 'Druge trgovine so v priloženi datoteki.',
    counted: 'Obiskovalci so ljudje, ki so vstopili, brez prijavljenega osebja. Šteto do',
  },
};
