import { counted } from './locale.ts';
import type { reports as english } from './reports.en.ts';

export const reports: typeof english = {
  reports: {
    download: 'Prenesi obdobje',
    downloadExplain: 'Obiskovalci v datoteki za preglednico, v primerjavi z istimi dnevi v tednu prej.',
    table: 'Tabela',
    tables: {
      day: 'Po dnevih',
      hour: 'Po urah',
      week: 'Po tednih',
      month: 'Po mesecih',
      stores: 'Po trgovinah',
    },
    scope: 'Katere trgovine',
    allStores: 'Vse trgovine',
    groups: 'Skupine',
    stores: 'Trgovine',
    someStores: (n: number) =>
      counted(n, { one: 'trgovina', two: 'trgovini', few: 'trgovine', other: 'trgovin' }),
    from: 'Od',
    to: 'Do',
    wrongPeriod: 'Vnesite dva datuma, najprej zgodnejšega.',
    byMail: 'Poročila po e-pošti',
    explain:
      'Poročilo pride dve minuti po tem, ko se zapre zadnja od njegovih trgovin, in pove, ali je popolno. Če pozneje prispejo številke, ki ga spremenijo, dobite popravljeno poročilo.',
    none: 'Nobeno poročilo še ni nastavljeno.',
    add: 'Dodaj poročilo',
    name: 'Ime',
    period: 'Kako pogosto',
    periods: { daily: 'Vsak dan', weekly: 'Vsak teden', monthly: 'Vsak mesec' },
    recipients: 'E-poštni naslovi, vsak v svoji vrstici',
    enabled: 'Pošiljaj to poročilo',
    off: 'Izklopljeno',
    remove: 'Odstrani',
    sent: (time: string) => `Nazadnje poslano ${time}`,
    neverSent: 'Še ni poslano',
    problem: 'Zadnjega sporočila ni bilo mogoče poslati. Strežnik bo poskusil znova.',
    refused: 'Tega ni mogoče shraniti. Preverite naslove in ime: nobeno drugo poročilo ne sme imeti enakega.',
  },
};
