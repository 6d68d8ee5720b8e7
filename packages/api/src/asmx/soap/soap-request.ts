import type { IncomingHttpHeaders } from 'node:http';
import { MIMEType } from 'node:util';
import { type SoapVersion, soap11, soap12 } from './soap-version.ts';

/** What the header fields of a SOAP request tell. */
export interface SoapRequest {
  readonly version: SoapVersion;
  /** Empty for none. */
  readonly action: string;
}

/** The version by the content type, the action by where that version has it; undefined for what is no SOAP. */
export function soapRequest(headers: IncomingHttpHeaders): SoapRequest | undefined {
  const type = mediaTypeOf(headers['content-type'] ?? '');
  if (type?.essence === soap11.mediaType) {
    const action = String(headers['soapaction'] ?? '').trim();
    return { version: soap11, action: action.replace(/^"(.*)"$/, '$1') };
  }
  if (type?.essence === soap12.mediaType) return { version: soap12, action: type.params.get('action') ?? '' };
  return undefined;
}

function mediaTypeOf(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}
