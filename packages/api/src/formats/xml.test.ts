import { expect, test } from 'vitest';
import { problemXml, xml } from './xml.ts';

const format = xml('CountEvent', ['DateTime', 'StoreName', 'Amount'], 'http://tempuri.org/');

test('writes what ASMX writes, byte for byte', () => {
  const record = { DateTime: '2026-11-20T10:15:30.123+01:00', StoreName: 'Bath & Bed', Amount: 3 };
  expect(format.begin + format.records([record]) + format.end).toBe(
    [
      '<?xml version="1.0" encoding="utf-8"?>',
      '<ArrayOfCountEvent xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://tempuri.org/">',
      '  <CountEvent>',
      '    <DateTime>2026-11-20T10:15:30.123+01:00</DateTime>',
      '    <StoreName>Bath &amp; Bed</StoreName>',
      '    <Amount>3</Amount>',
      '  </CountEvent>',
      '</ArrayOfCountEvent>',
    ].join('\r\n'),
  );
  expect(format.mediaType).toBe('text/xml; charset=utf-8');
});

test('writes a problem as RFC 9457 has it in XML', () => {
  const record = {
    type: 'urn:x',
    title: 'T',
    status: 400,
    detail: 'a < b',
    parameter: 'Token',
    code: 'missing_parameter' as const,
  };
  expect(problemXml(record)).toBe(
    '<?xml version="1.0" encoding="utf-8"?><problem xmlns="urn:ietf:rfc:7807"><type>urn:x</type><title>T</title>' +
      '<status>400</status><code>missing_parameter</code><detail>a &lt; b</detail><parameter>Token</parameter></problem>',
  );
});
