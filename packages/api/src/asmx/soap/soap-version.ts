import type { IncomingHttpHeaders } from 'node:http';
import { MIMEType } from 'node:util';

/** What differs between the versions of SOAP. */
export interface SoapVersion {
  readonly envelope: string;
  readonly mediaType: string;
  /** The names of fault codes. */
  readonly client: string;
  readonly server: string;
  /** The attribute that names the recipient of a header, and its values for this service. */
  readonly roleAttribute: string;
  readonly ownRoles: readonly string[];
  /** The text of ASMX for an unknown action. */
  readonly unknownAction: (action: string) => string;
}

export const soap11: SoapVersion = {
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  client: 'Client',
  server: 'Server',
  roleAttribute: 'actor',
  ownRoles: ['', 'http://schemas.xmlsoap.org/soap/actor/next'],
  unknownAction: (action) => `Server did not recognize the value of HTTP Header SOAPAction: ${action}.`,
};

export const soap12: SoapVersion = {
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  client: 'Sender',
  server: 'Receiver',
  roleAttribute: 'role',
  ownRoles: [
    '',
    'http://www.w3.org/2003/05/soap-envelope/role/next',
    'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
  ],
  unknownAction: (action) => `Unable to handle request. The action '${action}' was not recognized.`,
};

/** The version and the action in the header fields of a SOAP request. */
export interface SoapRequest {
  readonly version: SoapVersion;
  /** Without quotes; empty for none. */
  readonly action: string;
}

/**
 * Reads the version from the content type, and the action from the field that this version uses; undefined for other
 * requests.
 */
export function soapRequest(headers: IncomingHttpHeaders): SoapRequest | undefined {
  const type = mediaTypeOf(headers['content-type'] ?? '');
  if (type?.essence === soap11.mediaType) {
    const action = String(headers['soapaction'] ?? '').trim();
    return { version: soap11, action: action.replace(/^"(.*)"$/, '$1').trim() };
  }
  if (type?.essence === soap12.mediaType)
    return { version: soap12, action: type.params.get('action')?.trim() ?? '' };
  return undefined;
}

function mediaTypeOf(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}
