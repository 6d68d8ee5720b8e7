import type { XmlNames } from '../src/formats/xml.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { type Conform, conformity } from './conformity.ts';
import { xmlNames } from './xml-names.ts';

/** Fetches, and throws for an answer that the OpenAPI document does not allow. Reads the whole answer. */
export async function checkedFetch(
  url: string,
  request: RequestInit = {},
  conform: Conform = conformsByDefault,
): Promise<Response> {
  const answer = await fetch(url, request);
  const { status, headers } = answer;
  const text = await answer.clone().text();
  conform({ method: request.method ?? 'GET', path: new URL(url).pathname, status, headers, text });
  return answer;
}

/** Compares answers with the document of an api whose XML has other names. */
export function conformityWith(xml: XmlNames): Conform {
  return conformity(openApiDocument({ pathId: 'public', xml }, ''));
}

const conformsByDefault = conformityWith(xmlNames);
