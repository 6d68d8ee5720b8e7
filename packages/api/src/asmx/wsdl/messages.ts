import { type Markup, markup } from '../../xml/markup.ts';
import { type XmlNames, xmlName } from '../../xml/xml-names.ts';
import type { Operation } from '../operations/operation.ts';
import { parametersOf } from './described.ts';

/** The messages, and the port types that they belong to: one for both versions of SOAP, one for forms. */
export function messages(operations: readonly Operation[], names: XmlNames): Markup {
  return markup`${operations.map((operation) => messagesOf(operation, names))}${portType('Soap', operations)}${portType('HttpPost', operations)}`;
}

function messagesOf(operation: Operation, names: XmlNames): Markup {
  const { name, record } = operation;
  /* A form is text, whatever the type: so ASMX has it, and older generators know nothing else here. */
  const parts = parametersOf(operation).map(
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

function portType(kind: string, operations: readonly Operation[]): Markup {
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
