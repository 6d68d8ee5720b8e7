import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { Trouble } from './read-report.ts';

/** The texts of a report in a language; numbers and dates come from Intl in its `locale`. */
export interface Words {
  readonly locale: string;
  /** By the plural category of the number. */
  readonly visitors: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
  /** Instead of a number of visitors: no store had begun to count. */
  readonly noData: string;
  readonly corrected: string;
  /** Why there is a second report about the same period. */
  readonly why: string;
  readonly allStores: string;
  readonly complete: string;
  /** The numbers of some stores are not complete, or may be wrong. */
  readonly doubtful: string;
  readonly troubles: Readonly<Record<Trouble, string>>;
  readonly comparedWith: string;
  /** Follows a number of visitors, or the change of it, that leaves out stores without an earlier number. */
  readonly withoutNewer: string;
  readonly store: string;
  /** The sid of a store. */
  readonly storeNumber: string;
  readonly count: string;
  readonly before: string;
  readonly change: string;
  readonly staff: string;
  readonly sales: string;
  readonly amount: string;
  readonly conversion: string;
  readonly note: string;
  readonly total: string;
  readonly byHour: string;
  readonly byDay: string;
  readonly time: string;
  /** More stores are in the attached file. */
  readonly more: string;
  readonly counted: string;
}

export const words: Readonly<Record<MailLanguage, Words>> = {
  en: {
    locale: 'en-GB',
    visitors: { one: 'visitor', other: 'visitors' },
    noData: 'No data yet',
    corrected: 'Corrected',
    why: 'You have received this report before. Numbers that arrived later have changed it:',
    allStores: 'All stores',
    complete: 'All counters have delivered everything. These numbers are complete.',
    doubtful: 'These numbers are not complete, or may be wrong:',
    troubles: {
      late: 'A counter has not delivered everything yet. You will get a corrected report.',
      lost: 'Some people are missing in the numbers or could not be counted.',
      removed:
        'The details were deleted after the agreed time, so the first and the last hour are not exact.',
      'not-started': 'No data from before the store began to count.',
      'beam-blocked': 'The light of a counter is blocked: nobody is counted at its door.',
      'direction-doubtful': 'A counter seems to take people coming in for people leaving.',
      'no-devices': 'No counter is installed in this store.',
    },
    comparedWith: 'Compared with',
    withoutNewer: 'without newer stores',
    store: 'Store',
    storeNumber: 'Store no.',
    count: 'Visitors',
    before: 'Before',
    change: 'Change',
    staff: 'Staff left out',
    sales: 'Sales',
    amount: 'Amount',
    conversion: 'Conversion',
    note: 'Note',
    total: 'Total',
    byHour: 'By hour',
    byDay: 'By day',
    time: 'Time',
    more: 'More stores are in the attached file.',
    counted: 'Visitors are the people who came in, without declared staff. Counted until',
  },
  de: {
    locale: 'de-DE',
    visitors: { other: 'Besucher' },
    noData: 'Noch keine Daten',
    corrected: 'Korrigiert',
    why: 'Sie haben diesen Bericht schon erhalten. Zahlen, die später eingetroffen sind, haben ihn geändert:',
    allStores: 'Alle Filialen',
    complete: 'Alle Zähler haben alles geliefert. Diese Zahlen sind vollständig.',
    doubtful: 'Diese Zahlen sind unvollständig oder können falsch sein:',
    troubles: {
      late: 'Ein Zähler hat noch nicht alles geliefert. Sie erhalten dann einen korrigierten Bericht.',
      lost: 'Einige Personen fehlen in den Zahlen oder konnten nicht gezählt werden.',
      removed:
        'Die Einzelheiten wurden nach der vereinbarten Zeit gelöscht, daher sind die erste und die letzte Stunde ungenau.',
      'not-started': 'Daten gibt es erst, seit in der Filiale gezählt wird.',
      'beam-blocked': 'Das Licht eines Zählers ist verdeckt: An seiner Tür wird niemand gezählt.',
      'direction-doubtful': 'Ein Zähler hält offenbar Ankommende für Gehende.',
      'no-devices': 'In dieser Filiale ist kein Zähler eingebaut.',
    },
    comparedWith: 'Verglichen mit',
    withoutNewer: 'ohne neuere Filialen',
    store: 'Filiale',
    storeNumber: 'Filial-Nr.',
    count: 'Besucher',
    before: 'Davor',
    change: 'Veränderung',
    staff: 'Ohne Personal',
    sales: 'Verkäufe',
    amount: 'Betrag',
    conversion: 'Kaufquote',
    note: 'Hinweis',
    total: 'Summe',
    byHour: 'Nach Stunden',
    byDay: 'Nach Tagen',
    time: 'Zeit',
    more: 'Weitere Filialen stehen in der angehängten Datei.',
    counted: 'Besucher sind die Personen, die hereingekommen sind, ohne gemeldetes Personal. Gezählt bis',
  },
  es: {
    locale: 'es-ES',
    visitors: { one: 'visitante', other: 'visitantes' },
    noData: 'Aún no hay datos',
    corrected: 'Corregido',
    why: 'Ya ha recibido este informe. Lo han cambiado cifras que llegaron más tarde:',
    allStores: 'Todas las tiendas',
    complete: 'Todos los contadores lo han enviado todo. Estas cifras están completas.',
    doubtful: 'Estas cifras no están completas o pueden ser incorrectas:',
    troubles: {
      late: 'Un contador aún no lo ha enviado todo. Cuando lo haga, recibirá un informe corregido.',
      lost: 'Faltan personas en las cifras o no se las pudo contar.',
      removed:
        'Los detalles se borraron al cumplirse el plazo acordado, por lo que la primera y la última hora no son exactas.',
      'not-started': 'No hay datos de antes de que la tienda empezara a contar.',
      'beam-blocked': 'La luz de un contador está tapada: en su puerta no se cuenta a nadie.',
      'direction-doubtful': 'Un contador parece confundir a quienes entran con quienes salen.',
      'no-devices': 'En esta tienda no hay ningún contador instalado.',
    },
    comparedWith: 'En comparación con',
    withoutNewer: 'sin tiendas más recientes',
    store: 'Tienda',
    storeNumber: 'N.º de tienda',
    count: 'Visitantes',
    before: 'Antes',
    change: 'Variación',
    staff: 'Sin el personal',
    sales: 'Ventas',
    amount: 'Importe',
    conversion: 'Conversión',
    note: 'Nota',
    total: 'Total',
    byHour: 'Por horas',
    byDay: 'Por días',
    time: 'Hora',
    more: 'Las demás tiendas están en el archivo adjunto.',
    counted: 'Los visitantes son las personas que entraron, sin el personal declarado. Contados hasta el',
  },
  sl: {
    locale: 'sl-SI',
    visitors: { one: 'obiskovalec', two: 'obiskovalca', few: 'obiskovalci', other: 'obiskovalcev' },
    noData: 'Podatkov še ni',
    corrected: 'Popravljeno',
    why: 'To poročilo ste že prejeli. Spremenile so ga številke, ki so prispele pozneje:',
    allStores: 'Vse trgovine',
    complete: 'Vsi števci so poslali vse številke. Te številke so popolne.',
    doubtful: 'Te številke niso popolne ali morda niso pravilne:',
    troubles: {
      late: 'Števec še ni poslal vseh številk. Ko jih bo, boste prejeli popravljeno poročilo.',
      lost: 'Nekateri ljudje v številkah manjkajo ali jih ni bilo mogoče prešteti.',
      removed: 'Podrobnosti so bile po dogovorjenem roku izbrisane, zato prva in zadnja ura nista natančni.',
      'not-started': 'Podatki so šele od začetka štetja v trgovini.',
      'beam-blocked': 'Svetlobni žarek števca je zakrit: pri njegovih vratih se nihče ne šteje.',
      'direction-doubtful': 'Števec najbrž zamenjuje prihode in odhode.',
      'no-devices': 'V tej trgovini ni nameščenega števca.',
    },
    comparedWith: 'Primerjava –',
    withoutNewer: 'brez novejših trgovin',
    store: 'Trgovina',
    storeNumber: 'Št. trgovine',
    count: 'Obiskovalci',
    before: 'Prej',
    change: 'Sprememba',
    staff: 'Brez osebja',
    sales: 'Nakupi',
    amount: 'Znesek',
    conversion: 'Delež kupcev',
    note: 'Opomba',
    total: 'Skupaj',
    byHour: 'Po urah',
    byDay: 'Po dnevih',
    time: 'Čas',
    more: 'Druge trgovine so v priloženi datoteki.',
    counted: 'Obiskovalci so ljudje, ki so vstopili, brez prijavljenega osebja. Šteto do',
  },
};
