import { markup } from '../../xml/markup.ts';
import { type HtmlPage, htmlPage, prose } from './html-page.ts';
import { type SampleFacts, samplesOf } from './samples.ts';

/** The page of one operation: what goes over the wire, by each protocol. */
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
