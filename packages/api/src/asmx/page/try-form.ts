import { type Markup, markup } from '../../xml/markup.ts';
import type { Operation } from '../operations/operation.ts';
import { type DescribedParameter, parametersOf } from '../wsdl/described.ts';
import { examplesOf } from './samples.ts';

/** A form that calls an operation. The script shows the answer in the page; without it the browser does. */
export function tryForm(operation: Operation): Markup {
  const { name, input, credential } = operation;
  const examples = new Map(examplesOf(input.properties));
  const fields = parametersOf(operation).map((parameter) => field(parameter, examples.get(parameter.name)));
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

function field({ name, type, required }: DescribedParameter, example = ''): Markup {
  if (type === 'boolean') {
    return markup`
<label>${name} <select name="${name}"><option value="">not given</option><option>true</option><option>false</option></select></label>`;
  }
  const kind =
    name === 'Token' ? markup`type="password" autocomplete="off"` : markup`placeholder="${example}"`;
  return markup`
<label>${name} <input name="${name}" ${kind}${required ? markup` required` : undefined}></label>`;
}
