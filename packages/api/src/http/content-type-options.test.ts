import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { oneStore, token } from '../../test/one-store.ts';

test('sends X-Content-Type-Options with every answer', async () => {
  const pageFolder = await temporaryFolder();
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>Page</title>');
  const { port, metricsPort } = await oneStore({ pageFolder });
  const service = '/public/Service.asmx';
  const authorization = token;
  const range = { CompanyName: 'Acme', Token: token, DateFrom: '2026-01-01', DateTo: '2026-01-02' };
  const requests: readonly (readonly [path: string, init?: RequestInit])[] = [
    ['/'],
    ['/none'],
    ['/%zz'],
    ['/health'],
    ['/openapi.json'],
    ['/reference'],
    ['/reference/swagger-ui.css'],
    [service],
    [`${service}?WSDL`],
    [service, { method: 'DELETE' }],
    [service, { method: 'POST', body: '<x/>', headers: { 'content-type': 'text/xml' } }],
    [`${service}/GetCountsByCompanyAndDatePublic`, { method: 'POST', body: new URLSearchParams(range) }],
    ['/v1/stores'],
    ['/v1/stores', { headers: { authorization } }],
    ['/v1/stores?format=xlsx', { headers: { authorization } }],
    ['/v1/stores', { headers: { authorization, accept: 'text/csv' } }],
    ['/v1/live', { headers: { authorization } }],
    ['/v1/session', { method: 'DELETE', headers: { 'x-requested-with': 'test' } }],
  ];
  for (const [path, init] of requests) {
    const leaving = new AbortController();
    const { headers, status } = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      signal: leaving.signal,
    });
    expect.soft(headers.get('x-content-type-options'), `${path} ${status}`).toBe('nosniff');
    leaving.abort();
  }
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(metrics.headers.get('x-content-type-options')).toBe('nosniff');
});
