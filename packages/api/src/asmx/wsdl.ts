import { declaration, type Markup, markup, type XmlNames, xmlName } from '../formats/xml.ts';
import type { Operation } from './operations/operation.ts';
import { fieldsOf, soapAction } from './operations/operation.ts';
import { operations } from './operations/operations.ts';

/**
 * The WSDL 1.1 document as ASMX lays it out, document/literal wrapped: SOAP 1.1, SOAP 1.2 and HTTP POST. Old generators
 * expect this layout, so its names (`ServiceSoap`, `parameters`, `…Result`) cannot be changed. `address`: that of the
 * service as its caller reached it.
 */
export function wsdl(names: XmlNames, address: string): string {
  const document = markup`<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:tns="${names.namespace}" targetNamespace="${names.namespace}">
  <wsdl:types>${types(names)}
  </wsdl:types>${messages(names)}${bindings(names.namespace)}
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

/** The messages, and the port types that they belong to: one for both versions of SOAP, one for forms. */
function messages(names: XmlNames): Markup {
  return markup`${operations.map((operation) => messagesOf(operation, names))}${portType('Soap')}${portType('HttpPost')}`;
}

function messagesOf(operation: Operation, names: XmlNames): Markup {
  const { name, record } = operation;
  /* A form is text for every type: ASMX declares it so, and older generators accept nothing else. */
  const parts = fieldsOf(operation.input).map(
    (parameter) => markup`
    <wsdl:part name="${parameter.name}" type="s:string"/>`,
  );
  return markup`
  <wsdl:message name="${name}SoapIn"><wsdl:part name="parameters" element="tns:${name}"/></wsdl:message>
  <wsdl:message name="${name}SoapOut"><wsdl:part name="parameters" element="tns:${name}Response"/></wsdl:message>
  <wsdl:message name="${name}HttpPostIn">${parts}
  </wsdl:message>
  <wsdl:message name="${name}HttpPostOut"><wsdl:part name="Body" element="tns:ArrayOf${xmlName(record, names)}"/></wsdl:message>`;
}

function portType(kind: string): Markup {
  const entries = operations.map(
    ({ name }) => markup`
    <wsdl:operation name="${name}">
      <wsdl:input message="tns:${name}${kind}In"/>
      <wsdl:output message="tns:${name}${kind}Out"/>
    </wsdl:operation>`,
  );
  return markup`
  <wsdl:portType name="Service${kind}">${entries}
  </wsdl:portType>`;
}

/** How the messages travel: by SOAP 1.1, by SOAP 1.2, and as forms that are answered with XML. */
function bindings(namespace: string): Markup {
  return markup`${soapBinding('soap', 'ServiceSoap', namespace)}${soapBinding('soap12', 'ServiceSoap12', namespace)}${formBinding()}`;
}

function soapBinding(soap: string, binding: string, namespace: string): Markup {
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

function formBinding(): Markup {
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

/**
 * The schema of all elements. A parameter that may be left out is `minOccurs="0"`: for a value type .NET then
 * generates a property `InSpecified`, and other generators something similar.
 */
function types(names: XmlNames): Markup {
  const nameOf = ({ record }: Operation) => xmlName(record, names);
  const recorded = new Map(operations.map((operation) => [nameOf(operation), operation]));
  return markup`
    <s:schema elementFormDefault="qualified" targetNamespace="${names.namespace}">${operations.map((operation) => elements(operation, nameOf(operation)))}${[...recorded].map(([name, operation]) => recordTypes(name, operation))}
    </s:schema>`;
}

function elements(operation: Operation, recordName: string): Markup {
  const parameters = fieldsOf(operation.input).map(
    ({ name, type, required }) => markup`
          <s:element minOccurs="${required ? 1 : 0}" maxOccurs="1" name="${name}" type="s:${type}"/>`,
  );
  return markup`
      <s:element name="${operation.name}">
        <s:complexType><s:sequence>${parameters}
        </s:sequence></s:complexType>
      </s:element>
      <s:element name="${operation.name}Response">
        <s:complexType><s:sequence>
          <s:element minOccurs="0" maxOccurs="1" name="${operation.name}Result" type="tns:ArrayOf${recordName}"/>
        </s:sequence></s:complexType>
      </s:element>`;
}

function recordTypes(name: string, operation: Operation): Markup {
  const fields = fieldsOf(operation.record.schema).map(
    (field) => markup`
        <s:element minOccurs="1" maxOccurs="1" name="${field.name}" type="s:${field.type}"/>`,
  );
  return markup`
      <s:complexType name="ArrayOf${name}">
        <s:sequence>
          <s:element minOccurs="0" maxOccurs="unbounded" name="${name}" type="tns:${name}"/>
        </s:sequence>
      </s:complexType>
      <s:complexType name="${name}">
        <s:sequence>${fields}
        </s:sequence>
      </s:complexType>
      <s:element name="ArrayOf${name}" nillable="true" type="tns:ArrayOf${name}"/>`;
}
