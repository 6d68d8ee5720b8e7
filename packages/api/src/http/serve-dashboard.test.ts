import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { apiUnderTest } from '../../test/api-under-test.ts';

const script = 'console.log("the page")';

/** An api that serves a page of one script. */
async function servedPage() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Page</title>');
  await writeFile(join(folder, 'assets', 'index-1a2b.js'), script);
  await writeFile(join(folder, 'assets', 'index-1a2b.js.br'), brotliCompressSync(script));
  const { port } = await apiUnderTest({ pageFolder: folder });
  return (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

test('serves the page at the root, with a policy that allows nothing but its own files', async () => {
  const get = await servedPage();
  const page = await get('/');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('<title>Page</title>');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|http|\*/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
});

test('serves hashed files as immutable, and compressed if the browser accepts it', async () => {
  const get = await servedPage();
  const answer = await get('/assets/index-1a2b.js', { headers: { 'accept-encoding': 'br' } });
  expect(answer.headers.get('content-encoding')).toBe('br');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await answer.text()).toBe(script);
  const plain = await get('/assets/index-1a2b.js', { headers: { 'accept-encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, script]);
});

test('answers 404 for paths that are no file of the page', async () => {
  const get = await servedPage();
  for (const path of [
    '/assets/',
    '/assets/x.js',
    '/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/x',
  ]) {
    const answer = await get(path);
    expect(answer.status, path).toBe(404);
    expect(await answer.json(), path).toMatchObject({ code: 'not_found' });
  }
});
