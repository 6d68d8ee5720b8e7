import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkedFetch } from '../../../test/checked-fetch.ts';
import { oneStore } from '../../../test/one-store.ts';

async function pages() {
  const api = await oneStore();
  const get = (query = '', headers: Record<string, string> = {}, method = 'GET') =>
    checkedFetch(`http://127.0.0.1:${api.port}/public/Service.asmx${query}`, { method, headers });
  return { api, get };
}

const operations = [
  'GetLifeSignalInactive',
  'GetAllCountsByCompanyForTodayPublic',
  'GetCountsByShopGroupAndDatePublic',
  'GetCountsBySerialNumberAndDatePublic',
  'GetCountsByCompanyAndDatePublic',
];

test('the page of the service has every operation with its parameters and a form', async () => {
  const { get } = await pages();
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = await answer.text();
  for (const operation of operations) {
    expect(text).toContain(`<section id="${operation}">`);
    expect(text).toContain(`action="Service.asmx/${operation}"`);
  }
  for (const parameter of ['Token', 'InactiveForHours', 'ShopGroupName', 'SerialNumber', 'DateFrom', 'In']) {
    expect(text).toContain(`<code>${parameter}</code>`);
    expect(text).toContain(`name="${parameter}"`);
  }
});

test('pages use only their own style and script', async () => {
  const { get } = await pages();
  for (const query of ['', `?op=${operations[0]}`]) {
    const answer = await get(query);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const text = await answer.text();
    for (const [element, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const [content = ''] = new RegExp(`(?<=<${element}>)[\\s\\S]*(?=</${element}>)`).exec(text) ?? [];
      const hash = createHash('sha256').update(content).digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${hash}'`);
    }
    expect(text).not.toMatch(/ (style|on[a-z]+)=/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('nothing that a caller sends becomes markup', async () => {
  const { get } = await pages();
  const evil = '"><script>alert(1)</script>';
  for (const query of ['?op=', '?', '?wsdl&x=', '?disco&']) {
    const text = await (await get(query + encodeURIComponent(evil))).text();
    expect(text).not.toContain('alert(1)');
  }
  const trusting = await oneStore({ trustedProxies: ['127.0.0.1'] });
  const url = `http://127.0.0.1:${trusting.port}/public/Service.asmx`;
  for (const query of ['', '?wsdl', '?disco', `?op=${operations[0]}`]) {
    const answer = await checkedFetch(url + query, { headers: { 'x-forwarded-host': evil } });
    expect(await answer.text()).not.toContain('alert(1)');
  }
});
