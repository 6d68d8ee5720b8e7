import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import type { AlertMessage } from '@visitor-counter/database/alerts/alert-messages';
import { mailLanguages } from '@visitor-counter/domain/mail';
import { describe, expect, test } from 'vitest';
import de from '../words/de.json' with { type: 'json' };
import en from '../words/en.json' with { type: 'json' };
import es from '../words/es.json' with { type: 'json' };
import sl from '../words/sl.json' with { type: 'json' };
import { alertText } from './alert-text.ts';

const about = {
  serial: 'CU-0007',
  device: 'Front',
  sid: 'S-1',
  store: 'Main',
  since: '2026-11-20T13:05:00.000Z',
  occupancy: 52,
  capacity: 50,
  count: 3,
  people: 1,
  missed: 40,
  entries: 1_864,
  exits: 288,
  held: 2,
  diskFree: 150e6,
  version: '1.2.0',
  expected: '1.4.0',
  problem: 'full',
  flapping: 'beam-blocked',
};

function alert(more: Partial<AlertMessage> = {}): AlertMessage {
  return {
    alertId: 'a',
    phase: 'raised',
    companyName: 'Acme',
    kind: 'beam-blocked',
    about,
    beganAt: Date.parse('2026-11-20T13:06:00Z'),
    raisedAt: Date.parse('2026-11-20T13:06:01Z'),
    clearedAt: null,
    timeZone: 'Europe/Berlin',
    label: 'Ann',
    targetKind: 'mail',
    language: 'en',
    address: 'ann@acme.example',
    sealed: null,
    ...more,
  };
}

test('names store and door, with the time of the store, and the serial number at the end', () => {
  const { subject, paragraphs } = alertText(alert());
  expect(subject).toBe('Alert: Main – the light of the counter at Front is blocked');
  expect(paragraphs).toEqual([
    'The light of the counter at Front in Main has been blocked since 20 November at 14:05. Nobody is counted there.',
    'Remove the object that blocks the light. If there is none, call your installer.',
    'Acme\nFor your installer: counter CU-0007',
  ]);
});

test('says in the language of the recipient that an alert is over, and how long it lasted', () => {
  const over = { phase: 'cleared', clearedAt: Date.parse('2026-11-20T14:00:00Z') } as const;
  const { subject, paragraphs } = alertText(alert({ ...over, language: 'de' }));
  expect(subject).toBe('Vorbei: Main – Lichtschranke an der Tür „Front“ verdeckt');
  expect(paragraphs.slice(0, 2)).toEqual([
    'Die Lichtschranke an der Tür „Front“ (Main) ist wieder frei.',
    'Vom 20. November um 14:05 bis zum 20. November um 15:00.',
  ]);
});

test('writes the zone with times that are about stores in several zones, and isolates names from right to left', () => {
  const outage = {
    kind: 'service-unavailable',
    about: { since: '2025-12-31T23:30:00.000Z' },
    timeZone: null,
  } as const;
  expect(alertText(alert(outage)).text).toMatch(/since 31 December 2025 at 23:30 UTC\./);
  expect(alertText(alert(outage)).subject).toBe('Alert: no numbers of any store can be received');
  const hebrew = alert({ about: { ...about, store: 'עזריאלי (תל אביב)' } });
  expect(alertText(hebrew).text).toContain('in \u2068עזריאלי (תל אביב)\u2069 has');
});

test('does not fill what looks like a placeholder in a name', () => {
  const { text } = alertText(alert({ about: { ...about, device: '{store}', store: '{counter} $&' } }));
  expect(text).toMatch(/^The light of the counter at \{store\} in \{counter\} \$& has been blocked/);
});

test('uses the same facts in each message of all languages', () => {
  const english = factsOfMessages(en);
  for (const other of [de, es, sl]) {
    const facts = factsOfMessages(other);
    for (const [key, names] of english) expect([key, facts.get(key)]).toEqual([key, names]);
  }
});

/** The names of the facts in each message and in the messages that it contains, by its key. */
function factsOfMessages(messages: Readonly<Record<string, string>>): Map<string, string[]> {
  const factsIn = (message: string): string[] =>
    [...message.matchAll(/\{(.*?)\}/g)].flatMap(([, name = '']) =>
      messages[name] === undefined ? [name] : factsIn(messages[name]),
    );
  return new Map(
    Object.entries(messages).map(([key, message]) => [key, [...new Set(factsIn(message))].toSorted()]),
  );
}

describe.each(mailLanguages)('in %s', (language) => {
  test.each([...alertKinds, 'flapping', 'test'] as const)(
    'says %s without identifiers, commands or gaps',
    (kind) => {
      for (const phase of ['raised', 'cleared'] as const) {
        const written = alertText(alert({ kind, phase, language }));
        const words = `${written.subject} ${written.text}`;
        expect(words).not.toMatch(/CU-0007|S-1|undefined|NaN|crossing|journal|sudo|`| {2}|\d{4}-\d\d/);
        expect(written.text).toMatch(/\.$/);
      }
    },
  );
});
