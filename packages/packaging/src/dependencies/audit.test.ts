import { expect, test } from 'vitest';
import { readAudit } from './audit.ts';

test('reports each advisory of the registry', () => {
  const advisory = { module_name: 'some', severity: 'high', title: 'Prototype pollution', url: 'https://x' };
  expect(readAudit(JSON.stringify({ advisories: { 1: advisory } }), '')).toEqual({
    state: 'vulnerable',
    advisories: ['some: high: Prototype pollution (https://x)'],
  });
  expect(readAudit('{"advisories":{}}', '')).toEqual({ state: 'clean' });
});

test('reports a registry that does not answer as unknown, with its reason', () => {
  const answer = 'npm warn old\nError: ERR_PNPM_AUDIT_BAD_RESPONSE\n\n  × The endpoint responded with 405:\n';
  expect(readAudit('', answer)).toEqual({ state: 'unknown', reason: 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE' });
  expect(readAudit('', '')).toEqual({ state: 'unknown', reason: 'no answer' });
});
