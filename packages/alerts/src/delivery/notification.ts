import type { AlertKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { Delivery } from '@visitor-counter/database/alerts/deliveries';

/** The message to a target; a webhook receives it as JSON. Instants are RFC 3339 in UTC. */
export interface Notification {
  /** The same for the beginning and the end of one incident, and for every attempt. */
  readonly id: string;
  readonly event: 'alert.raised' | 'alert.cleared';
  readonly kind: AlertKind;
  readonly company: string;
  /** When the condition had lasted as long as the rule says. */
  readonly beganAt: string;
  readonly raisedAt: string;
  readonly clearedAt?: string;
  /** Serial, device, sid, store, beam, capacity and other fields, depending on the kind. */
  readonly about: Readonly<Record<string, unknown>>;
  /** One sentence for people. */
  readonly text: string;
}

export function notificationOf(delivery: Delivery): Notification {
  const { alertId, phase, kind, companyName, beganAt, raisedAt, clearedAt } = delivery;
  const about: About = { ...Object(delivery.about) };
  return {
    id: alertId,
    event: `alert.${phase}`,
    kind,
    company: companyName,
    beganAt: beganAt.toISOString(),
    raisedAt: raisedAt.toISOString(),
    ...(phase === 'cleared' && clearedAt !== null && { clearedAt: clearedAt.toISOString() }),
    about,
    text: sentences[kind][phase](about),
  };
}

/** Identifies one message to a target, so that the target can recognise a repeated one. */
export function messageIdOf({ alertId, phase }: Delivery): string {
  return `${alertId}.${phase}`;
}

type About = Readonly<Record<string, unknown>>;
type Sentences = Readonly<Record<Delivery['phase'], (about: About) => string>>;

const device = ({ serial, device: name, store }: About) => `${serial} (${name}) in ${store}`;

const beam = ({ beam: label }: About) => `${label}`.replace(/^./, (letter) => letter.toUpperCase());
const subject = (about: About) =>
  about['serial'] === undefined ? `${about['store'] ?? 'the company'}` : device(about);

const megabytes = (bytes: unknown) => Math.floor(Number(bytes) / 1e6);
const storageTexts: Readonly<Record<string, string>> = {
  full: 'its memory card is full',
  limit: 'its journal has reached its size limit',
  failed: 'its memory card cannot be written and must be replaced',
};

const sentences: Readonly<Record<AlertKind, Sentences>> = {
  'device-inactive': {
    raised: (about) => `Counter ${device(about)} has not been seen since ${about['lastActivity']}.`,
    cleared: (about) => `Counter ${device(about)} is active again.`,
  },
  'beam-blocked': {
    raised: (about) =>
      `${beam(about)} of counter ${device(about)} has been blocked since ${about['blockedSince']}.`,
    cleared: (about) => `${beam(about)} of counter ${device(about)} is clear again.`,
  },
  'capacity-reached': {
    raised: ({ store, occupancy, capacity }) =>
      `${store} is full: ${occupancy} people, room for ${capacity}.`,
    cleared: ({ store }) => `${store} has room again.`,
  },
  'data-overdue': {
    raised: ({ store, completeUntil }) =>
      `The numbers of ${store} are incomplete: crossings since ${completeUntil} are missing.`,
    cleared: ({ store }) => `The numbers of ${store} are complete again.`,
  },
  'limits-exceeded': {
    raised: (about) =>
      `Counter ${device(about)} has sent more than its limits allow since ${about['since']}; the excess is not counted.`,
    cleared: (about) => `Nothing of counter ${device(about)} exceeds its limits any more.`,
  },
  'disk-low': {
    raised: (about) =>
      `The disk of counter ${device(about)} is nearly full: ${megabytes(about['diskFree'])} MB are free.`,
    cleared: (about) => `The disk of counter ${device(about)} has room again.`,
  },
  'version-old': {
    raised: (about) =>
      `Counter ${device(about)} has version ${about['version']}, older than ${about['expected']}.`,
    cleared: (about) => `Counter ${device(about)} no longer has an old version.`,
  },
  'crossings-missing': {
    raised: (about) =>
      `${about['count']} crossings of counter ${device(about)} are missing in the database since ${about['since']}; they are being requested from it.`,
    cleared: (about) => `No crossings of counter ${device(about)} are missing any more.`,
  },
  'crossings-lost': {
    raised: (about) =>
      `${about['count']} crossings of counter ${device(about)} are lost and will not be counted.`,
    cleared: (about) => `No more crossings of counter ${device(about)} were lost within a day.`,
  },
  'cloned-unit': {
    raised: (about) =>
      `Two units use the identity of counter ${device(about)}, or its card was set back; conflicting crossings are not counted until they are checked.`,
    cleared: (about) => `Counter ${device(about)} has no conflicting crossings any more.`,
  },
  'direction-doubtful': {
    raised: (about) =>
      `Counter ${device(about)} may count the wrong way round: since ${about['since']} more people seem to go out than have come in. Check which beam is on the street side: \`sudo counter-agent learn\` on the unit.`,
    cleared: (about) => `Counter ${device(about)} counts entries before exits again.`,
  },
  'storage-failing': {
    raised: (about) =>
      `Counter ${device(about)} cannot store crossings since ${about['since']}: ${storageTexts[`${about['problem']}`] ?? 'its memory card fails'}. ${about['held']} crossings are only in its memory; a power cut loses them.`,
    cleared: (about) => `Counter ${device(about)} stores crossings again.`,
  },
  'visitors-while-closed': {
    raised: ({ store, people, since }) =>
      `${store} is closed, and ${people === 1 ? 'somebody has' : `${people} people have`} come in since ${since}.`,
    cleared: ({ store }) => `Nobody has come into ${store} for two hours while it was closed, or it is open.`,
  },
  'silent-while-open': {
    raised: (about) =>
      `Nobody has passed counter ${device(about)} since ${about['since']}, although the store is open; usually at least ${about['missed']} people do. Check its beams, and whether the door is open.`,
    cleared: (about) => `People pass counter ${device(about)} again, or its store is closed.`,
  },
  'door-drift': {
    raised: (about) =>
      `Counter ${device(about)} has counted ${about['entries']} entries and ${about['exits']} exits in the last days: one direction seems to be missed. Check its beams.`,
    cleared: (about) => `Entries and exits of counter ${device(about)} match again.`,
  },
  'service-away': {
    raised: ({ awaySince }) => `No crossing of any store could be received since ${awaySince}.`,
    cleared: () => 'Crossings are received again.',
  },
  flapping: {
    raised: (about) =>
      `The alert ${about['flapping']} of ${subject(about)} begins and ends again and again. It is not sent until it has been quiet for an hour.`,
    cleared: (about) => `The alert ${about['flapping']} of ${subject(about)} is sent again.`,
  },
  test: {
    raised: () => 'This is a test. Nothing is wrong.',
    cleared: () => 'The test is over.',
  },
};
