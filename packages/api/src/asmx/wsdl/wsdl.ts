import { declaration } from '../../formats/xml.ts';
import { type Markup, markup } from '../../xml/markup.ts';
import type { XmlNames } from '../../xml/xml-names.ts';
import type { Operation } from '../operations/operation.ts';
import { bindings } from './bindings.ts';
import { messages } from './messages.ts';
import { types } from './types.ts';

/** What a WSDL document tells. */
export interface WsdlFacts {
  readonly operations: readonly Operation[];
  readonly names: XmlNames;
  /** The address of the service as its caller reached it. */
  readonly address: string;
}

/**
 * The WSDL 1.1 document as ASMX lays it out, document/literal wrapped: SOAP 1.1, SOAP 1.2 and HTTP POST. Old
 * generators know this layout by heart, so its names (`ServiceSoap`, `parameters`, `…Result`) are not ours to choose.
 */
export function wsdl({ operations, names, address }: WsdlFacts): string {
  const document = markup`<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:tns="${names.namespace}" targetNamespace="${names.namespace}">
  <wsdl:types>${types(operations, names)}
  </wsdl:types>${messages(operations, names)}${bindings(operations, names.namespace)}
  <wsdl:service name="Service">
    <wsdl:port name="ServiceSoap" binding="tns:ServiceSoap"><soap:address location="${address}"/></wsdl:port>
    <wsdl:port name="ServiceSoap12" binding="tns:ServiceSoap12"><soap12:address location="${address}"/></wsdl:port>
    <wsdl:port name="ServiceHttpPost" binding="tns:ServiceHttpPost"><http:address location="${address}"/></wsdl:port>
  </wsdl:service>
</wsdl:definitions>
`;
  return `${declaration}\n${document.text}`;
}

/** The discovery document, by which Visual Studio and `disco` find the WSDL. */
export function disco(names: XmlNames, address: string): string {
  const soap = (binding: string): Markup =>
    markup`
  <soap xmlns="http://schemas.xmlsoap.org/disco/soap/" xmlns:tns="${names.namespace}" address="${address}" binding="tns:${binding}"/>`;
  const document = markup`<discovery xmlns="http://schemas.xmlsoap.org/disco/">
  <contractRef xmlns="http://schemas.xmlsoap.org/disco/scl/" ref="${address}?wsdl" docRef="${address}"/>${[soap('ServiceSoap'), soap('ServiceSoap12')]}
</discovery>
`;
  return `${declaration}\n${document.text}`;
}
