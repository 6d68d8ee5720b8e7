import { type Markup, markup } from '../../formats/xml.ts';
import { type DescribedField, examplesOf, fieldsOf, type Operation } from '../operations/operation.ts';
import { htmlPage, prose } from './html-page.ts';

/** The page of the service, or of one operation: what it does, how it is called, and a form to call it. */
export function servicePage(address: string, shown: readonly Operation[]): string {
  const contents = shown.map(
    ({ name, summary }) => markup`
<li><a href="#${name}">${name}</a><br>${summary}</li>`,
  );
  return htmlPage(
    'Visitor Counter Service',
    markup`
<header>
<h1>Visitor Counter Service</h1>
<p>How many people are in a company’s stores, and every event that led there. All operations are <code>POST</code>
requests with a form or JSON, answered in JSON, XML or CSV; generated proxies and SOAP clients begin with the WSDL.</p>
<p class="address"><code>${address}/</code></p>
<p><a href="?WSDL">WSDL</a> · <a href="?disco">Discovery</a> ·
<a href="../reference">Reference</a> · <a href="../openapi.json">OpenAPI</a></p>
<nav aria-label="Operations"><ol>${contents}
</ol></nav>
</header>
<main>${shown.map((operation) => section(operation, address))}
</main>`,
  );
}

function section(operation: Operation, address: string): Markup {
  const { name, description } = operation;
  return markup`
<section id="${name}">
<h2>${name}</h2>
<p>${prose(description)}</p>
${parameterTable(operation)}
<details><summary>Try it</summary>${tryForm(operation)}</details>
<details><summary>From a terminal</summary>
<pre><code>${curlLine(operation, address)}</code></pre></details>
</section>`;
}

function parameterTable(operation: Operation): Markup {
  const { properties } = operation.input;
  const rows = fieldsOf(operation.input).map(
    ({ name, type, required }) => markup`
<tr><th scope="row"><code>${name}</code></th><td>${type}, ${required ? 'required' : 'optional'}</td><td>${prose(descriptionOf(properties[name]))}</td></tr>`,
  );
  const key = markup`
<tr><th scope="row"><code>Authorization</code></th><td>HTTP header, required</td><td>The API key of the company.</td></tr>`;
  return markup`<table>
<thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${operation.credential === 'life-signal' ? key : undefined}${rows}
</tbody></table>`;
}

function descriptionOf(schema: object = {}): string {
  return 'description' in schema ? String(schema.description) : '';
}

/** A line for a shell; the values are those of the schemas, in which no quote occurs. */
function curlLine({ name, input, credential }: Operation, address: string): string {
  const examples = Object.entries(examplesOf(input.properties));
  const fields = examples.map(([field, value]) => `--data-urlencode '${field}=${value}'`);
  const key = credential === 'life-signal' ? ["-H 'Authorization: <API_KEY>'"] : [];
  return [`curl '${address}/${name}'`, ...key, ...fields].join(' \\\n  ');
}

/** A form that calls an operation. The script displays the answer in the page; without it the browser does. */
function tryForm(operation: Operation): Markup {
  const { name, input, credential } = operation;
  const examples = examplesOf(input.properties);
  const fields = fieldsOf(operation.input).map((parameter) =>
    field(parameter, String(examples[parameter.name])),
  );
  const key = markup`
<label>Authorization <input data-header="Authorization" type="password" autocomplete="off" required></label>
<noscript><p>The key is an HTTP header, which a page can send by its script only.</p></noscript>`;
  return markup`
<form method="post" action="Service.asmx/${name}">${credential === 'life-signal' ? key : undefined}${fields}
<label>Answer in <select data-header="Accept"><option value="application/json">JSON</option><option value="text/xml">XML</option><option value="text/csv">CSV</option></select></label>
<button>Send</button>
<output></output>
</form>`;
}

function field({ name, type, required }: DescribedField, example: string): Markup {
  if (type === 'boolean') {
    return markup`
<label>${name} <select name="${name}"><option value="">not given</option><option>true</option><option>false</option></select></label>`;
  }
  const kind =
    name === 'Token' ? markup`type="password" autocomplete="off"` : markup`placeholder="${example}"`;
  return markup`
<label>${name} <input name="${name}" ${kind}${required ? markup` required` : undefined}></label>`;
}
