import { type XmlNames, xmlName } from '../../formats/xml-names.ts';
import { type Markup, markup } from '../../xml/markup.ts';
import type { Operation } from '../operations/operation.ts';
import { fieldsOf, parametersOf } from './described.ts';

/**
 * The schema of all elements. A parameter that may be left out is `minOccurs="0"`: for a value type .NET then
 * generates a property `InSpecified`, and other generators something similar.
 */
export function types(operations: readonly Operation[], names: XmlNames): Markup {
  const nameOf = ({ record }: Operation) => xmlName(record, names);
  const recorded = new Map(operations.map((operation) => [nameOf(operation), operation]));
  return markup`
    <s:schema elementFormDefault="qualified" targetNamespace="${names.namespace}">${operations.map((operation) => elements(operation, nameOf(operation)))}${[...recorded].map(([name, operation]) => recordTypes(name, operation))}
    </s:schema>`;
}

function elements(operation: Operation, recordName: string): Markup {
  const parameters = parametersOf(operation).map(
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
  const fields = fieldsOf(operation).map(
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
