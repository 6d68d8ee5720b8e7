import { expect, test } from 'vitest';
import { readAudit } from './check-dependencies.ts';

test('reports each advisory of the registry', () => {
  const advisory = { module_name: 'some', severity: 'high', title: 'Prototype pollution', url: 'https://x' };
  expect(readAudit(JSON.stringify({ advisories: { 1: advisory } }), '')).toEqual({
    advisories: ['some: high: Prototype pollution (https://x)'],
  });
  expect(readAudit('{"advisories":{}}', '')).toEqual({ advisories: [] });
});

test('reports a registry that does not answer as unknown, with its reason', () => {
  const answer = 'npm warn old\nError: ERR_PNPM_AUDIT_BAD_RESPONSE\n\n  × The endpoint responded with 405:\n';
  expect(readAudit('', answer)).toEqual({ reason: 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE' });
  expect(readAudit('', '')).toEqual({ reason: 'no answer' });
});
