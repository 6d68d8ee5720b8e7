import type { ReportLanguage } from '@visitor-counter/database/reports/mail-reports';
import type { Trouble } from './read-report.ts';

/** What a report says in a language; numbers and dates come from Intl in its `locale`. */
export interface Words {
  readonly locale: string;
  /** By the plural category of the number. */
  readonly visitors: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
  readonly corrected: string;
  /** A report was sent before, and numbers have changed. */
  readonly why: string;
  readonly changed: string;
  readonly allStores: string;
  readonly complete: string;
  /** These numbers are not complete, or doubtful. */
  readonly doubtful: string;
  readonly troubles: Readonly<Record<Trouble, string>>;
  readonly comparedWith: string;
  readonly store: string;
  readonly count: string;
  readonly before: string;
  readonly change: string;
  readonly staff: string;
  readonly note: string;
  readonly total: string;
  readonly byHour: string;
  readonly byDay: string;
  readonly time: string;
  /** More stores are in the attached file. */
  readonly more: string;
  readonly counted: string;
}

export const words: Readonly<Record<ReportLanguage, Words>> = {
  en: {
    locale: 'en-GB',
    visitors: { one: 'visitor', other: 'visitors' },
    corrected: 'Corrected',
    why: 'You have received this report before. Counts that arrived later have changed it:',
    changed: 'What has changed',
    allStores: 'All stores',
    complete: 'All counters have delivered. These numbers are complete.',
    doubtful: 'These numbers are not complete, or may be wrong:',
    troubles: {
      late: 'A counter has not delivered everything yet. You get a corrected report when it has.',
      lost: 'Crossings are missing or lost.',
      removed: 'Old crossings were removed, so the first and last hour are rough.',
      'beam-blocked': 'A beam is blocked: nobody is counted at this door.',
      'direction-doubtful': 'A counter seems to count people who come in as people who go out.',
      'no-devices': 'The store has no counter.',
    },
    comparedWith: 'Compared with',
    store: 'Store',
    count: 'Visitors',
    before: 'Before',
    change: 'Change',
    staff: 'Staff left out',
    note: 'Note',
    total: 'Total',
    byHour: 'By hour',
    byDay: 'By day',
    time: 'Time',
    more: 'More stores are in the attached file.',
    counted: 'Visitors are people who came in, without declared staff. Counted until',
  },
  de: {
    locale: 'de-DE',
    visitors: { other: 'Besucher' },
    corrected: 'Korrigiert',
    why: 'Sie haben diesen Bericht schon erhalten. Später eingetroffene Zählungen haben ihn geändert:',
    changed: 'Was sich geändert hat',
    allStores: 'Alle Filialen',
    complete: 'Alle Zähler haben geliefert. Diese Zahlen sind vollständig.',
    doubtful: 'Diese Zahlen sind unvollständig oder können falsch sein:',
    troubles: {
      late: 'Ein Zähler hat noch nicht alles geliefert. Sobald er es hat, erhalten Sie einen korrigierten Bericht.',
      lost: 'Durchgänge fehlen oder sind verloren.',
      removed: 'Alte Durchgänge wurden gelöscht, daher sind die erste und die letzte Stunde ungenau.',
      'beam-blocked': 'Eine Lichtschranke ist verdeckt: An dieser Tür wird niemand gezählt.',
      'direction-doubtful': 'Ein Zähler scheint Kommende als Gehende zu zählen.',
      'no-devices': 'Die Filiale hat keinen Zähler.',
    },
    comparedWith: 'Verglichen mit',
    store: 'Filiale',
    count: 'Besucher',
    before: 'Zuvor',
    change: 'Änderung',
    staff: 'Ohne Personal',
    note: 'Hinweis',
    total: 'Summe',
    byHour: 'Nach Stunden',
    byDay: 'Nach Tagen',
    time: 'Zeit',
    more: 'Weitere Filialen stehen in der angehängten Datei.',
    counted: 'Besucher sind Personen, die hereinkamen, ohne gemeldetes Personal. Gezählt bis',
  },
  es: {
    locale: 'es-ES',
    visitors: { one: 'visitante', other: 'visitantes' },
    corrected: 'Corregido',
    why: 'Ya ha recibido este informe. Datos que llegaron más tarde lo han cambiado:',
    changed: 'Qué ha cambiado',
    allStores: 'Todas las tiendas',
    complete: 'Todos los contadores han enviado sus datos. Estas cifras están completas.',
    doubtful: 'Estas cifras no están completas o pueden ser erróneas:',
    troubles: {
      late: 'Un contador aún no ha enviado todo. Cuando lo haga, recibirá un informe corregido.',
      lost: 'Faltan pasos o se han perdido.',
      removed: 'Se han borrado pasos antiguos, por lo que la primera y la última hora son aproximadas.',
      'beam-blocked': 'Una barrera está tapada: en esta puerta no se cuenta a nadie.',
      'direction-doubtful': 'Un contador parece contar a quienes entran como si salieran.',
      'no-devices': 'La tienda no tiene contador.',
    },
    comparedWith: 'Comparado con',
    store: 'Tienda',
    count: 'Visitantes',
    before: 'Antes',
    change: 'Cambio',
    staff: 'Sin el personal',
    note: 'Nota',
    total: 'Total',
    byHour: 'Por horas',
    byDay: 'Por días',
    time: 'Hora',
    more: 'Las demás tiendas están en el archivo adjunto.',
    counted: 'Los visitantes son las personas que entraron, sin el personal declarado. Contados hasta',
  },
  sl: {
    locale: 'sl-SI',
    visitors: { one: 'obiskovalec', two: 'obiskovalca', few: 'obiskovalci', other: 'obiskovalcev' },
    corrected: 'Popravljeno',
    why: 'To poročilo ste že prejeli. Spremenili so ga podatki, ki so prispeli pozneje:',
    changed: 'Kaj se je spremenilo',
    allStores: 'Vse trgovine',
    complete: 'Vsi števci so poslali podatke. Te številke so popolne.',
    doubtful: 'Te številke niso popolne ali so lahko napačne:',
    troubles: {
      late: 'Števec še ni poslal vsega. Ko bo, boste prejeli popravljeno poročilo.',
      lost: 'Prehodi manjkajo ali so izgubljeni.',
      removed: 'Stari prehodi so bili odstranjeni, zato sta prva in zadnja ura približni.',
      'beam-blocked': 'Žarek je zakrit: pri teh vratih se nihče ne šteje.',
      'direction-doubtful': 'Števec najbrž šteje prihode kot odhode.',
      'no-devices': 'Trgovina nima števca.',
    },
    comparedWith: 'V primerjavi z',
    store: 'Trgovina',
    count: 'Obiskovalci',
    before: 'Prej',
    change: 'Sprememba',
    staff: 'Brez osebja',
    note: 'Opomba',
    total: 'Skupaj',
    byHour: 'Po urah',
    byDay: 'Po dnevih',
    time: 'Čas',
    more: 'Druge trgovine so v priloženi datoteki.',
    counted: 'Obiskovalci so ljudje, ki so vstopili, brez prijavljenega osebja. Šteto do',
  },
};
