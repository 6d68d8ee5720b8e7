import type { Text } from './en.ts';
import { counted, isolated, number, signed } from './locale.ts';

const visitors = (n: number) =>
  counted(n, { one: 'obiskovalec', two: 'obiskovalca', few: 'obiskovalci', other: 'obiskovalcev' });

export const store = {
  ranges: {
    label: 'Obdobje',
    today: 'Danes',
    yesterday: 'Včeraj',
    '7d': '7 dni',
    '4w': '4 tedni',
    month: 'Ta mesec',
    year: 'To leto',
    custom: 'Drugi datumi',
    choose: 'Izbira datumov',
    from: 'Prvi dan',
    to: 'Zadnji dan',
    show: 'Prikaži',
    order: 'Prvi dan ne sme biti poznejši od zadnjega.',
    compare: 'Primerjaj z',
    previous: 'Prejšnje obdobje',
    weekdays: 'Isti dnevi v tednu prej',
    weekBefore: 'Isti dan prejšnji teden',
    dayBefore: 'Dan prej',
    yearBefore: 'Leto prej',
  },
  chart: {
    by: {
      hour: 'Obiskovalci po urah',
      day: 'Obiskovalci po dnevih',
      week: 'Obiskovalci po tednih',
      month: 'Obiskovalci po mesecih',
      stores: 'Obiskovalci po trgovinah',
    },
    summary: (n, period) => `${visitors(n)}, ${period}. Spodnja tabela vsebuje iste številke.`,
    capacity: (n) => `Zmogljivost ${number(n)}`,
    table: 'Prikaži kot tabelo',
    compared: (period) => `Prej: ${period}`,
    gap: 'Nepopolno',
    closed: 'Zaprto',
    clockChange: { before: 'pred premikom ure', after: 'po premiku ure' },
    insideAt: (n, time) => `${number(n)} v trgovini ob ${time}`,
    whileClosed: (n) => `V času, ko je bila trgovina zaprta: ${visitors(n)}`,
    showClosed: 'Prikaži zaprte ure',
    none: 'V tem obdobju ni bilo obiskovalcev.',
    staff: (n) => `Odšteto osebje: ${number(n)}`,
  },
  figures: {
    comparable: (n) => `${number(n)} v časih, ki jih imata obe obdobji`,
    against: (before, period) => `prej ${before} (${period})`,
    againstUntil: (before, period, time) => `prej ${before} (${period}, do ${time})`,
    noneBefore: 'Ni primerjave',
    busiestHour: 'Najbolj obiskana ura',
    busiestDay: 'Najboljši dan',
    average: 'Povprečen dan',
    days: (n) =>
      counted(n, { one: 'popoln dan', two: 'popolna dneva', few: 'popolni dnevi', other: 'popolnih dni' }),
    sales: (n) => counted(n, { one: 'nakup', two: 'nakupa', few: 'nakupi', other: 'nakupov' }),
    onAverage: (hours) => `v povprečju, ${hours}`,
  },
  whyInside: {
    set: (came, left, inside, by) =>
      `Prihodov je bilo ${number(came)}, odhodov ${number(left)}, v trgovini pa jih je ${number(inside)}, ker je število nastavil uporabnik ${isolated(by)}.`,
    floor: (came, left, inside) =>
      `Prihodov je bilo ${number(came)}, odhodov ${number(left)}, v trgovini pa jih je ${number(inside)}, ker število nikoli ne pade pod nič.`,
  },
  balance: {
    even: 'Prihodi in odhodi se ujemajo',
    few: 'Premalo ljudi za primerjavo prihodov in odhodov',
    open: 'Prihode in odhode bo mogoče primerjati, ko vsi odidejo',
    moreIn: (more, error) =>
      `Prihodov je ${more} več kot odhodov${error === undefined ? '' : `, zato je število obiskovalcev morda približno ${error} previsoko`}`,
    moreOut: (more, error) =>
      `Odhodov je ${number(more)} več kot prihodov${error === undefined ? '' : `, zato je število obiskovalcev morda približno ${error} prenizko`}`,
  },
  heatmap: {
    heading: 'Kdaj prihajajo obiskovalci',
    hint: 'Povprečno število obiskovalcev na uro v tem obdobju. Šrafirano: zaprto ali še ni popolno.',
    cell: (day, hour, n) => `${day}, ${hour}: povprečno število obiskovalcev ${number(n)}`,
    none: 'V tem obdobju še ni nobene popolne ure.',
  },
  doors: {
    heading: 'Vrata',
    in: 'Prihodi',
    out: 'Odhodi',
    before: {
      day: 'Prihodi, dan prej',
      week: 'Prihodi, teden prej',
      year: 'Prihodi, leto prej',
      other: 'Prihodi, prejšnje obdobje',
    },
    share: 'Delež',
  },
  store: {
    unknown: 'Te trgovine ni ali pa je ne smete videti.',
    ask: 'Vprašajte upravljavca, za katere trgovine velja vaš dostopni ključ.',
    health: 'Ali so številke zanesljive?',
    wall: 'Prikaži na stenskem zaslonu',
    download: 'Prenesi',
    print: 'Natisni',
    corrected: ({ by, people, was }, at) =>
      `Ob ${at}: ${by}, sprememba ${number(was)} → ${number(people)} (${signed(people - was)}).`,
  },
  staffTap: {
    button: 'Vstopilo je osebje',
    explain: 'Osebje ne šteje med obiskovalce. Koliko jih je pravkar vstopilo?',
    done: (n) => `Med obiskovalce ne šteje osebje: ${number(n)}.`,
    entry: (n, time) => `${time}: ${counted(n, { one: 'oseba', two: 'osebi', few: 'osebe', other: 'oseb' })}`,
  },
  correction: {
    heading: 'Nastavi število ljudi v trgovini',
    explain: 'Preštejte ljudi v trgovini in vpišite število. Zabeležimo, kdo ga je nastavil.',
    button: 'Nastavi',
    none: 'Danes števila ni nastavil nihče.',
    entry: (n, by, at) => `${at}: ${by} – število nastavljeno na ${number(n)}`,
    undo: 'Razveljavi',
    undoneBy: (by) => `razveljavil(a): ${by}`,
    open: 'Nastavi število',
    certain: 'Da, drži',
    change: (now, then) =>
      then === now
        ? `V trgovini ${number(now)}, kot zdaj.`
        : `V trgovini ${number(then)} namesto ${number(now)} (${signed(then - now)}), od zdaj naprej, tudi v vseh poročilih.`,
    aboveCapacity: (people, capacity) =>
      `${number(people)} oseb je več kot dvakratna zmogljivost, ki je ${number(capacity)}. Ali število drži?`,
    aboveHighest: (people, highest) =>
      `V zadnjih štirih tednih v trgovini ni bilo nikoli več kot ${number(highest)} oseb. Ali ${number(people)} drži?`,
    unansweredSince: (time) =>
      `Strežnik se ne odziva. Vaše število ob ${time} ostane tukaj. Poskusite znova.`,
  },
} satisfies Partial<Text>;
