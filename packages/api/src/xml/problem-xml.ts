import { declaration } from '../formats/xml.ts';
import type { ProblemRecord } from '../problems/problem.ts';
import { type Markup, markup } from './markup.ts';

/** A problem as RFC 9457 has it in XML (appendix B), the service's own members in the same namespace. */
export function problemMarkup({ type, title, status, code, detail, parameter }: ProblemRecord): Markup {
  const about = parameter === undefined ? undefined : markup`<parameter>${parameter}</parameter>`;
  return markup`<problem xmlns="urn:ietf:rfc:7807"><type>${type}</type><title>${title}</title><status>${status}</status><code>${code}</code><detail>${detail}</detail>${about}</problem>`;
}

export function problemXml(record: ProblemRecord): string {
  return declaration + problemMarkup(record).text;
}
