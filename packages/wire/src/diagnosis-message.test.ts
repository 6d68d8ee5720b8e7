import { expect, test } from 'vitest';
import { type Diagnosis, decodeDiagnosis, encodeDiagnosis } from './diagnosis-message.ts';
import { maxDiagnosisBytes } from './limits.ts';

const least: Diagnosis = { id: 1, at: 5, findings: [], log: [], omitted: 0 };
const finding = { what: 'disk', verdict: 'fail', detail: 'full', advice: 'empty it' } as const;

test('decodes what it has encoded', () => {
  const message = { ...least, findings: [finding, { ...finding, verdict: 'ok' as const }], log: ['a', 'b'] };
  expect(decodeDiagnosis(Buffer.from(encodeDiagnosis(message)))).toEqual(message);
});

test('omits and counts the oldest lines if not all fit', () => {
  const log = Array.from({ length: 900 }, (_, index) => `${index} ${'ü'.repeat(100)}`);
  const payload = Buffer.from(encodeDiagnosis({ ...least, log, omitted: 3 }));
  expect(payload.length).toBeLessThanOrEqual(maxDiagnosisBytes);
  expect(payload.length).toBeGreaterThan(maxDiagnosisBytes - 1_000);
  const decoded = decodeDiagnosis(payload);
  if ('malformed' in decoded) throw new Error(decoded.malformed);
  expect(decoded.log).toEqual(log.slice(-decoded.log.length));
  expect(decoded.omitted).toBe(3 + log.length - decoded.log.length);
});

test.each([
  ['many long lines', { ...least, log: Array(5_000).fill('\u0001'.repeat(9_000)) }],
  ['many long findings', { ...least, findings: Array(500).fill({ ...finding, detail: '😀'.repeat(9_000) }) }],
])('encodes %s within the bounds', (_, message) => {
  const payload = Buffer.from(encodeDiagnosis(message));
  expect(payload.length).toBeLessThanOrEqual(maxDiagnosisBytes);
  expect(decodeDiagnosis(payload)).not.toHaveProperty('malformed');
});

test('refuses a message over the limit', () => {
  const payload = Buffer.from(JSON.stringify({ ...least, log: Array(900).fill('x'.repeat(80)) }));
  expect(decodeDiagnosis(payload)).toHaveProperty('malformed');
});
