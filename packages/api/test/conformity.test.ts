import { expect, test } from 'vitest';
import { openApiDocument } from '../src/openapi/document.ts';
import { conformity } from './conformity.ts';
import { xmlNames } from './xml-names.ts';

const conform = conformity(openApiDocument({ pathId: 'public', xml: xmlNames }, ''));

const path = '/public/service.ASMX/GetAllCountsByCompanyForTodayPublic';
const record = { DateTime: '2026-11-20T10:15:30.123+01:00', StoreName: 'Main Door', Amount: 3 };
const xml = (amount: string, root = 'ArrayOfCountEvent') =>
  `<${root} xmlns="http://tempuri.org/"><CountEvent><DateTime>${record.DateTime}</DateTime><StoreName>x</StoreName><Amount>${amount}</Amount></CountEvent></${root}>`;
const unavailable = {
  type: 'urn:x:y',
  title: 't',
  status: 503,
  code: 'database_unavailable',
  detail: 'd',
};

function check(status: number, contentType: string, text: string, more = {}) {
  const headers = new Headers({ 'content-type': contentType, ...more });
  return () => conform({ method: 'POST', path, status, headers, text });
}

test('accepts answers that the document describes', () => {
  check(200, 'application/json; charset=utf-8', JSON.stringify([record]))();
  check(200, 'text/xml', xml('3'))();
  check(200, 'text/csv', 'DateTime,StoreName,Amount\r\n')();
  check(503, 'application/problem+json', JSON.stringify(unavailable), { 'retry-after': '5' })();
});

test('rejects all other answers', () => {
  const json = 'application/json';
  expect(check(200, json, JSON.stringify(record))).toThrow(/must be array/);
  expect(check(200, json, JSON.stringify([{ ...record, Amount: '3' }]))).toThrow(/must be integer/);
  expect(check(200, json, JSON.stringify([{ ...record, Amount: -1 }]))).toThrow(/must be >= 0/);
  expect(check(200, json, JSON.stringify([{ ...record, DateTime: 'now' }]))).toThrow(/date-time/);
  expect(check(200, 'text/xml', xml('three'))).toThrow(/must be integer/);
  expect(check(200, 'text/xml', xml('3', 'ArrayOfEvent'))).toThrow(/ArrayOfEvent instead of/);
  expect(check(200, 'text/xml', '<a>')).toThrow();
  expect(check(200, 'text/csv', 'DateTime;StoreName;Amount\r\n')).toThrow(/pattern/);
  expect(check(200, 'text/plain', '')).toThrow(/no answer 200 of "text\/plain"/);
  expect(check(201, json, '[]')).toThrow(/responses 201/);
  const problem = 'application/problem+json';
  expect(check(503, problem, JSON.stringify(unavailable))).toThrow(/503 without Retry-After/);
  const wrong = JSON.stringify({ ...unavailable, code: 'internal_error' });
  expect(check(503, problem, wrong, { 'retry-after': '5' })).toThrow(/code/);
  expect(check(404, problem, '{}')).toThrow();
});
