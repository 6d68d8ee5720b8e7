import { formatsOf } from '../../formats/formats-of-record.ts';
import { type Markup, markup, type XmlNames, xmlName } from '../../formats/xml.ts';
import { examplesOf, type Operation, soapAction } from '../operations/operation.ts';
import { type SoapVersion, soap11, soap12 } from '../soap/soap-version.ts';
import { type HtmlPage, htmlPage, prose } from './html-page.ts';

/** The page of one operation: the messages of each protocol. */
export function operationPage(facts: SampleFacts): HtmlPage {
  const { name, description } = facts.operation;
  const samples = samplesOf(facts).map(
    ({ title, request, response }) => markup`
<section>
<h2>${title}</h2>
<p>A sample request and its answer. Replace <code>length</code> and the values by actual ones.</p>
<pre><code>${request}</code></pre>
<pre><code>${response}</code></pre>
</section>`,
  );
  return htmlPage(
    `${name} — Visitor Counter Service`,
    markup`
<header>
<p><a href="?">Visitor Counter Service</a></p>
<h1>${name}</h1>
<p>${prose(description)}</p>
</header>
<main>${samples}
</main>`,
  );
}

/** A request and its answer, as they are sent. */
interface Sample {
  readonly title: string;
  readonly request: string;
  readonly response: string;
}

interface SampleFacts {
  readonly operation: Operation;
  readonly names: XmlNames;
  /** The address of the service as its caller reached it. */
  readonly address: string;
}

/** How an operation is called by SOAP 1.1, SOAP 1.2 and HTTP POST, with values out of its schemas. */
function samplesOf(facts: SampleFacts): readonly Sample[] {
  return [soapSample('SOAP 1.1', soap11, facts), soapSample('SOAP 1.2', soap12, facts), formSample(facts)];
}

function soapSample(title: string, version: SoapVersion, facts: SampleFacts): Sample {
  const { operation, names, address } = facts;
  const { name, input } = operation;
  const action = soapAction(names.namespace, name);
  const inside = version === soap12 ? `; action="${action}"` : '';
  const type = `${version.mediaType}; charset=utf-8`;
  const head = [
    ...requestHead(operation, address, ''),
    `Content-Type: ${type}${inside}`,
    'Content-Length: length',
  ];
  if (version === soap11) head.push(`SOAPAction: "${action}"`);
  const record = xmlName(operation.record, names);
  return {
    title,
    request: message(
      head,
      envelope(
        version,
        markup`    <${name} xmlns="${names.namespace}">${elements(input.properties, '      ')}
    </${name}>`,
      ),
    ),
    response: message(
      ['HTTP/1.1 200 OK', `Content-Type: ${type}`],
      envelope(
        version,
        markup`    <${`${name}Response`} xmlns="${names.namespace}">
      <${`${name}Result`}>
        <${record}>${elements(operation.record.schema.properties, '          ')}
        </${record}>
      </${`${name}Result`}>
    </${`${name}Response`}>`,
      ),
    ),
  };
}

function formSample({ operation, names, address }: SampleFacts): Sample {
  const head = requestHead(operation, address, `/${operation.name}`);
  const examples = Object.entries(examplesOf(operation.input.properties));
  const fields = examples.map(([name, value]): [string, string] => [name, String(value)]);
  const { mediaType, begin, records, end } = formatsOf(operation.record, names).xml;
  const answer = begin + records([examplesOf(operation.record.schema.properties)]) + end;
  return {
    title: 'HTTP POST',
    request: message(
      [
        ...head,
        'Accept: text/xml',
        'Content-Type: application/x-www-form-urlencoded',
        'Content-Length: length',
      ],
      new URLSearchParams(fields).toString(),
    ),
    response: message(['HTTP/1.1 200 OK', `Content-Type: ${mediaType}`], answer.replaceAll('\r\n', '\n')),
  };
}

function requestHead({ credential }: Operation, address: string, path: string): string[] {
  const { pathname, host } = new URL(address);
  const head = [`POST ${pathname}${path} HTTP/1.1`, `Host: ${host}`];
  return credential === 'life-signal' ? [...head, 'Authorization: <API_KEY>'] : head;
}

function message(head: readonly string[], body: string): string {
  return `${head.join('\n')}\n\n${body}`;
}

function envelope(version: SoapVersion, content: Markup): string {
  return markup`<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="${version.envelope}">
  <soap:Body>
${content}
  </soap:Body>
</soap:Envelope>`.text;
}

function elements(properties: Readonly<Record<string, object>>, indent: string): Markup[] {
  return Object.entries(examplesOf(properties)).map(
    ([name, value]) => markup`
${indent}<${name}>${String(value)}</${name}>`,
  );
}
