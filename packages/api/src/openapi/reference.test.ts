import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { answerTo, apiUnderTest } from '../../test/api-under-test.ts';

/** The address that the document gives to a caller who sends these headers; fetch would not send them. */
async function serverOf(port: number, headers: Record<string, string>): Promise<unknown> {
  const answer = await new Promise<unknown>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/openapi.json', headers }, (message) => resolve(json(message)))
      .on('error', reject)
      .end();
  });
  return answer;
}

const servers = (url: string) => expect.objectContaining({ servers: [{ url }] });

test('accepts forwarded addresses only from trusted proxies', async () => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example', host: 'inside' };
  const { port } = await apiUnderTest();
  expect(await serverOf(port, forwarded)).toEqual(servers('http://inside'));
  const elsewhere = await apiUnderTest({ trustedProxies: ['10.0.0.0/8'] });
  expect(await serverOf(elsewhere.port, forwarded)).toEqual(servers('http://inside'));
  const behind = await apiUnderTest({ trustedProxies: ['loopback'] });
  expect(await serverOf(behind.port, forwarded)).toEqual(servers('https://shop.example'));
});

test('serves a reference page that needs no other host', async () => {
  const { port } = await apiUnderTest();
  const base = `http://127.0.0.1:${port}`;
  const page = await answerTo(`${base}/reference`, {});
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const loaded = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  expect(loaded).toHaveLength(5);
  for (const link of loaded) {
    const answer = await fetch(new URL(link, `${base}/reference`));
    expect(answer.status, link).toBe(200);
    expect(answer.url.startsWith(base)).toBe(true);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50);
  }
  expect(await (await fetch(`${base}/reference/start-reference.js`)).text()).toContain('validatorUrl: null');
});
