import { type Markup, markup } from '../../xml/markup.ts';
import type { Operation } from '../operations/operation.ts';
import { soapAction } from './soap-action.ts';

/** How the messages travel: by SOAP 1.1, by SOAP 1.2, and as forms that are answered with XML. */
export function bindings(operations: readonly Operation[], namespace: string): Markup {
  return markup`${soapBinding('soap', 'ServiceSoap', operations, namespace)}${soapBinding('soap12', 'ServiceSoap12', operations, namespace)}${formBinding(operations)}`;
}

function soapBinding(
  soap: string,
  binding: string,
  operations: readonly Operation[],
  namespace: string,
): Markup {
  const entries = operations.map(
    ({ name }) => markup`
    <wsdl:operation name="${name}">
      <${soap}:operation soapAction="${soapAction(namespace, name)}" style="document"/>
      <wsdl:input><${soap}:body use="literal"/></wsdl:input>
      <wsdl:output><${soap}:body use="literal"/></wsdl:output>
    </wsdl:operation>`,
  );
  return markup`
  <wsdl:binding name="${binding}" type="tns:ServiceSoap">
    <${soap}:binding transport="http://schemas.xmlsoap.org/soap/http"/>${entries}
  </wsdl:binding>`;
}

function formBinding(operations: readonly Operation[]): Markup {
  const entries = operations.map(
    ({ name }) => markup`
    <wsdl:operation name="${name}">
      <http:operation location="/${name}"/>
      <wsdl:input><mime:content type="application/x-www-form-urlencoded"/></wsdl:input>
      <wsdl:output><mime:mimeXml part="Body"/></wsdl:output>
    </wsdl:operation>`,
  );
  return markup`
  <wsdl:binding name="ServiceHttpPost" type="tns:ServiceHttpPost">
    <http:binding verb="POST"/>${entries}
  </wsdl:binding>`;
}
