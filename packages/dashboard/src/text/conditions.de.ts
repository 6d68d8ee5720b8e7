import type { Text } from './en.ts';
import { counted, isolated, number } from './locale.ts';

const people = (n: number) => counted(n, { one: 'Person', other: 'Personen' });
const atDoor = (name: string | undefined) =>
  name === undefined ? 'an einer Tür' : `an der Tür „${isolated(name)}“`;

export const conditions = {
  inside: (capacity) =>
    capacity === null ? 'gerade im Laden' : `gerade im Laden, Kapazität ${number(capacity)}`,
  opening: {
    closed: 'Geschlossen',
    at: (time) => `öffnet um ${time}`,
    on: (day, time) => `öffnet ${day}, ${time}`,
  },
  full: 'Voll',
  nearlyFull: 'Fast voll',
  overfull: (n) => `${number(n)} zu viel`,
  capacity: (percent) => `${percent} ausgelastet`,
  healthy: 'Alle Zähler arbeiten richtig',
  doubtful: 'Die Zahl kann falsch sein',
  completeUntil: (time) => `Vollständig bis ${time}`,
  completeUnknown: 'Es ist nicht bekannt, bis wann die Zahlen vollständig sind',
  obstacle: ({ kind, count = 0, problem }, name) => {
    const door = atDoor(name);
    const at = `Der Zähler ${door}`;
    if (kind === 'offline') return `${at} ist offline`;
    if (kind === 'never-connected') return `${at} war noch nie verbunden`;
    if (kind === 'pending') return `${at} hat noch ${people(count)} gezählt; die Zahlen folgen`;
    if (kind === 'pending-unknown')
      return `Es ist nicht bekannt, wie viel der Zähler ${door} noch liefern muss`;
    if (kind === 'missing') return `In den Zahlen fehlen ${people(count)} ${door}; sie werden nachgeholt`;
    if (kind === 'lost') return `${people(count)} ${door} konnten nicht gezählt werden`;
    if (kind === 'conflict')
      return `Einige Zahlen ${door} müssen erst geprüft werden: Rufen Sie Ihren Betreiber an`;
    if (kind === 'beam-blocked')
      return `Das Licht des Zählers ${door} ist verdeckt: Dort wird niemand gezählt`;
    if (kind === 'direction-doubtful') return `${at} hält offenbar Ankommende für Gehende`;
    if (kind === 'storage')
      return count
        ? `${at} kann ${people(count)} nicht speichern: Schalten Sie ihn nicht aus und rufen Sie Ihren Installateur an`
        : problem === 'failed'
          ? `${at} hat eine defekte Speicherkarte: Rufen Sie Ihren Installateur an`
          : `${at} hat eine volle Speicherkarte: Rufen Sie Ihren Installateur an`;
    if (kind === 'clock-unsynced') return `Die Uhr des Zählers ${door} ist nicht gestellt`;
    if (kind === 'no-devices') return 'Hier ist kein Zähler eingebaut';
    return `${at} hat ein Problem`;
  },
  alerts: {
    heading: 'Warnungen der letzten 24 Stunden',
    none: 'Keine Warnungen.',
    open: 'Jetzt:',
    over: 'Vorbei:',
    fromTo: (from, to) => `${from} bis ${to}`,
    what: ({ kind, capacity }, name) => {
      const door = atDoor(name);
      if (kind === 'device-inactive') return `Der Zähler ${door} meldet sich nicht`;
      if (kind === 'beam-blocked') return `Das Licht des Zählers ${door} ist verdeckt`;
      if (kind === 'capacity-reached')
        return `Die Filiale ist voll, bei einer Kapazität von ${people(capacity ?? 0)}`;
      if (kind === 'data-overdue') return 'Zahlen sind überfällig';
      if (kind === 'limits-exceeded') return 'Ein Zähler zählt mehr, als durch eine Tür passt';
      if (kind === 'flapping') return `Dasselbe Problem tritt ${door} immer wieder auf`;
      if (kind === 'crossings-missing') return `Zahlen ${door} fehlen`;
      if (kind === 'crossings-lost') return `Zahlen ${door} sind verloren`;
      if (kind === 'disk-low') return `Der Speicher des Zählers ${door} ist fast voll`;
      if (kind === 'version-old') return `Der Zähler ${door} braucht eine Aktualisierung`;
      if (kind === 'cloned-unit') return `Zwei Zähler melden sich ${door}`;
      if (kind === 'direction-doubtful') return `Der Zähler ${door} zählt vielleicht verkehrt herum`;
      if (kind === 'storage-failing') return `Der Zähler ${door} kann seine Zahlen nicht speichern`;
      if (kind === 'service-unavailable') return 'Von keiner Filiale können Zahlen empfangen werden';
      if (kind === 'visitors-while-closed') return 'Jemand kam herein, obwohl geschlossen war';
      if (kind === 'silent-while-open')
        return `Niemand geht ${name === undefined ? 'durch eine Tür' : `durch die Tür „${isolated(name)}“`}, obwohl geöffnet ist`;
      if (kind === 'door-drift') return `Ankommende und Gehende passen ${door} nicht mehr zusammen`;
      return 'Etwas braucht Ihre Aufmerksamkeit';
    },
  },
} satisfies Partial<Text>;
