import type { OpenApiPart } from './document.ts';
import { type OperationsPartOptions, operationsPart } from './operations-part.ts';
import { probesPart } from './probes-part.ts';
import { problemsPart } from './problems-part.ts';
import { readPart } from './read-part.ts';
import { referencePart } from './reference-part.ts';
import { servicePart } from './service-part.ts';

/** The whole interface, in the order in which a reader wants it. */
export function openApiParts(options: OperationsPartOptions): readonly OpenApiPart[] {
  return [
    operationsPart(options),
    readPart,
    servicePart(options.pathId),
    problemsPart,
    referencePart,
    probesPart,
  ];
}
