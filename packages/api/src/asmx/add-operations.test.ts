import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, oneStore } from '../../test/one-store.ts';

const form = () => ({ method: 'POST', body: new URLSearchParams(credentials) });
const operation = 'GetAllCountsByCompanyForTodayPublic';

test('finds Service.asmx in any letter case, and operations only by their exact names', async () => {
  const api = await oneStore();
  const at = (path: string) => answerTo(`http://127.0.0.1:${api.port}${path}`, form());

  for (const file of ['Service.asmx', 'service.asmx', 'SERVICE.ASMX', 'sErViCe.AsMx']) {
    expect((await at(`/public/${file}/${operation}?x=1`)).status).toBe(200);
  }
  for (const path of [
    `/public/Service.asmx/${operation.toLowerCase()}`,
    `/public/Service.asmx/${operation}/`,
    `/public/Service.asmx/${operation}/x`,
    '/public/Service.asmx/Nothing',
    '/public/Service.asmx/',
    `/public/ServiceXasmx/${operation}`,
    `/public/Service.asmx2/${operation}`,
    `/Public/Service.asmx/${operation}`,
    `/other/Service.asmx/${operation}`,
    `//public/Service.asmx/${operation}`,
    '/',
    '/%zz',
    `/public/Service.asmx/${'x'.repeat(300)}`,
    `/public/${'x'.repeat(300)}/${operation}`,
  ]) {
    const answer = await at(path);
    expect(answer.body, path).toMatchObject({ status: 404, code: 'not_found' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

test('logs one line for a request, without query, credentials, body or stack', async () => {
  const api = await oneStore();
  await api.post(`${operation}?Token=in-the-query`, { CompanyName: 'Acme', Token: 'a-wrong-token' });
  await api.post(
    'GetLifeSignalInactive',
    { CompanyName: 'Acme', InactiveForHours: '1' },
    { authorization: 'a-key' },
  );
  await api.post(operation, credentials);

  await expect.poll(() => api.logged().split('"msg":"request')).toHaveLength(4);
  const log = api.logged();
  expect(log).toContain(`"method":"POST","path":"/public/Service.asmx/${operation}","status":200`);
  for (const secret of ['in-the-query', 'a-wrong-token', 'a-key', credentials.Token, 'Acme', 'select']) {
    expect(log).not.toContain(secret);
  }
});
