import type { AlertWords, WrittenFacts } from './alert-words.ts';

const counter = ({ door, store }: WrittenFacts) => `Der Zähler an der Tür „${door}“ (${store})`;
const at = ({ door, store }: WrittenFacts) => `an der Tür „${door}“ (${store})`;

const storageProblems: Readonly<Record<string, string>> = {
  full: 'Seine Speicherkarte ist voll.',
  limit: 'Sein Speicher ist voll.',
};

export const de: AlertWords = {
  locale: 'de-DE',
  alert: 'Warnung',
  over: 'Vorbei',
  fromTo: (from, to) => `Vom ${from} bis zum ${to}.`,
  serial: (serial) => `Für Ihren Installateur: Zähler ${serial}`,
  people: { one: 'Person', other: 'Personen' },
  kinds: {
    'device-inactive': {
      title: ({ door }) => `der Zähler an der Tür „${door}“ meldet sich nicht`,
      raised: (facts) => `${counter(facts)} hat sich seit ${facts.since} nicht gemeldet.`,
      advice:
        'Prüfen Sie Strom und Netzwerk. Wenn er Strom hat, zählt er weiter und liefert die Zahlen später.',
      cleared: (facts) => `${counter(facts)} arbeitet wieder.`,
    },
    'beam-blocked': {
      title: ({ door }) => `Lichtschranke an der Tür „${door}“ verdeckt`,
      raised: (facts) =>
        `Die Lichtschranke ${at(facts)} ist seit ${facts.since} verdeckt. Dort wird niemand gezählt.`,
      advice:
        'Entfernen Sie, was die Lichtschranke verdeckt. Wenn da nichts ist, rufen Sie Ihren Installateur an.',
      cleared: (facts) => `Die Lichtschranke ${at(facts)} ist wieder frei.`,
    },
    'beam-flickering': {
      title: ({ door }) => `Lichtschranke an der Tür „${door}“ flackert`,
      raised: (facts) =>
        `Die Lichtschranke ${at(facts)} flackert seit ${facts.since}. Die Zahlen dort sind falsch, meist zu niedrig.`,
      advice:
        'Halten Sie Sonnenlicht und Lampen vom Zähler fern. Wenn das nicht hilft, rufen Sie Ihren Installateur an.',
      cleared: (facts) => `Die Lichtschranke ${at(facts)} flackert nicht mehr.`,
    },
    'capacity-reached': {
      title: () => 'die Filiale ist voll',
      raised: ({ store, people, number }) =>
        `${store} ist voll: ${people('occupancy')} im Laden, Kapazität ${number('capacity')}.`,
      cleared: ({ store }) => `${store} hat wieder Platz.`,
    },
    'data-overdue': {
      title: () => 'Zahlen sind überfällig',
      raised: ({ store, since }) =>
        `Die Zahlen von ${store} sind nicht vollständig: Sie fehlen seit ${since}.`,
      advice:
        'Prüfen Sie Strom und Netzwerk der Zähler. Die Zahlen werden korrigiert, sobald sie eintreffen.',
      cleared: ({ store }) => `Die Zahlen von ${store} sind wieder vollständig.`,
    },
    'limits-exceeded': {
      title: ({ door }) => `der Zähler an der Tür „${door}“ zählt mehr, als durch eine Tür passt`,
      raised: (facts) =>
        `${counter(facts)} hat seit ${facts.since} mehr gezählt, als durch eine Tür passt. Die Zahlen können falsch sein.`,
      advice: 'Rufen Sie Ihren Betreiber an.',
      cleared: (facts) => `${counter(facts)} zählt wieder wie sonst.`,
    },
    'crossings-missing': {
      title: ({ door }) => `Zahlen der Tür „${door}“ fehlen`,
      raised: (facts) =>
        `In den Zahlen fehlen ${facts.people('count')} ${at(facts)}. Sie können noch eintreffen. Wurde die Speicherkarte des Zählers gewechselt, fragen Sie Ihren Installateur nach der alten.`,
      cleared: (facts) => `Es fehlen keine Zahlen mehr ${at(facts)}.`,
    },
    'crossings-lost': {
      title: ({ door }) => `Zahlen der Tür „${door}“ sind verloren`,
      raised: (facts) => `Nicht gezählt werden konnten ${facts.people('count')} ${at(facts)}.`,
      advice: 'Sie bleiben ungezählt. Stellen Sie die Zahl auf der Seite ein, wenn sie falsch aussieht.',
      cleared: (facts) => `Seit einem Tag ging ${at(facts)} nichts mehr verloren.`,
    },
    'cloned-unit': {
      title: ({ door }) => `zwei Zähler melden sich als „${door}“`,
      raised: ({ door, store }) =>
        `Zwei Zähler melden sich als „${door}“ (${store}), oder die Speicherkarte des Zählers ist eine alte Kopie. Einige Zahlen werden ausgelassen, bis sie geprüft sind.`,
      advice: 'Rufen Sie Ihren Betreiber an.',
      cleared: ({ door, store }) => `Als „${door}“ (${store}) meldet sich wieder nur ein Zähler.`,
    },
    'direction-doubtful': {
      title: ({ door }) => `Ankommende und Gehende passen an der Tür „${door}“ nicht zusammen`,
      raised: (facts) =>
        `${counter(facts)} zählt vielleicht verkehrt herum oder nur eine Richtung: Ankommende und Gehende passen nicht zusammen.`,
      advice:
        'Prüfen Sie, ob etwas in seiner Lichtschranke ist. Wenn nicht, rufen Sie Ihren Installateur an.',
      cleared: (facts) => `Ankommende und Gehende passen ${at(facts)} wieder zusammen.`,
    },
    'disk-low': {
      title: ({ door }) => `der Speicher des Zählers an der Tür „${door}“ ist fast voll`,
      raised: (facts) =>
        `${counter(facts)} hat einen fast vollen Speicher: ${facts.number('megabytes')} MB sind frei.`,
      advice: 'Rufen Sie Ihren Installateur an.',
      cleared: (facts) => `${counter(facts)} hat wieder freien Speicher.`,
    },
    'version-old': {
      title: ({ door }) => `der Zähler an der Tür „${door}“ braucht eine Aktualisierung`,
      raised: (facts) =>
        `${counter(facts)} hat Version ${facts.text('version')}, die älter ist als ${facts.text('expected')}.`,
      advice: 'Rufen Sie Ihren Betreiber an.',
      cleared: (facts) => `${counter(facts)} braucht keine Aktualisierung mehr.`,
    },
    'update-failed': {
      title: ({ door }) => `der Zähler an der Tür „${door}“ konnte nicht aktualisiert werden`,
      raised: (facts) =>
        `${counter(facts)} konnte nicht auf Version ${facts.text('expected')} aktualisiert werden. Er zählt mit seiner früheren Version.`,
      advice: 'Rufen Sie Ihren Betreiber an.',
      cleared: (facts) => `${counter(facts)} braucht keine andere Version mehr.`,
    },
    'storage-failing': {
      title: ({ door }) => `der Zähler an der Tür „${door}“ kann seine Zahlen nicht speichern`,
      raised: (facts) =>
        `${counter(facts)} kann seine Zahlen seit ${facts.since} nicht speichern. ${storageProblems[facts.text('problem')] ?? 'Seine Speicherkarte ist defekt und muss ersetzt werden.'} Noch nicht gespeichert: ${facts.people('held')}.`,
      advice: 'Schalten Sie ihn nicht aus. Rufen Sie Ihren Installateur an.',
      cleared: (facts) => `${counter(facts)} speichert seine Zahlen wieder.`,
    },
    'visitors-while-closed': {
      title: () => 'jemand kam herein, obwohl geschlossen war',
      raised: ({ store, since, people }) =>
        `${store} ist geschlossen. Hereingekommen seit ${since}: ${people('people')}.`,
      cleared: ({ store }) => `${store}: Seit zwei Stunden kam niemand herein, oder es ist geöffnet.`,
    },
    'silent-while-open': {
      title: ({ door }) => `niemand geht durch die Tür „${door}“`,
      raised: ({ door, store, since, people }) =>
        `Seit ${since} ging niemand durch die Tür „${door}“ (${store}), obwohl geöffnet ist. Üblich in dieser Zeit: mindestens ${people('missed')}.`,
      advice: 'Prüfen Sie, ob die Tür offen ist und ob etwas die Lichtschranke verdeckt.',
      cleared: ({ door, store }) =>
        `Durch die Tür „${door}“ (${store}) gehen wieder Menschen, oder es ist geschlossen.`,
    },
    'service-unavailable': {
      title: () => 'von keiner Filiale können Zahlen empfangen werden',
      raised: ({ since }) =>
        `Seit ${since} konnten von keiner Filiale Zahlen empfangen werden. Die Zähler zählen weiter und liefern später.`,
      advice: 'Rufen Sie Ihren Betreiber an.',
      cleared: () => 'Es werden wieder Zahlen empfangen.',
    },
    flapping: {
      title: ({ again }) => `immer wieder: ${again}`,
      raised: ({ again }) =>
        `Das beginnt und endet immer wieder: ${again}. Sie erhalten dazu keine weiteren Nachrichten, bis eine Stunde lang Ruhe war.`,
      cleared: ({ again }) => `Seit einer Stunde ist Ruhe: ${again}.`,
    },
    test: {
      title: () => 'dies ist ein Test',
      raised: () => 'Dies ist ein Test. Alles ist in Ordnung.',
      cleared: () => 'Der Test ist vorbei.',
    },
  },
};
