import type { FastifyInstance } from 'fastify';
import { addOperations, methodsOfOperations } from './asmx/add-operations.ts';
import { operations } from './asmx/operations/operations.ts';
import type { OperationRoutes } from './asmx/stream-answer.ts';
import { defaultTimeouts, type Timeouts } from './http/answer-body.ts';
import { addProbes, probePaths } from './http/availability.ts';
import { createServer, type ServerOptions } from './http/server.ts';
import { openApiParts } from './openapi/parts.ts';
import { addReference, referencePaths } from './openapi/reference.ts';
import { addV1, methodsOfV1 } from './v1/add-v1.ts';
import type { V1 } from './v1/routes.ts';

export interface InterfaceOptions
  extends Omit<ServerOptions, 'methodsOf' | 'timeouts'>,
    Omit<OperationRoutes, 'timeouts' | 'problemFor' | 'onBroken'> {
  readonly v1: V1;
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * The public HTTP interface, ready to listen: the five operations, /v1, the reference and the probes. Throws
 * ConfigurationError for certificates that cannot be used.
 */
export async function publicInterface(options: InterfaceOptions): Promise<FastifyInstance> {
  const { availability, v1 } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const methodsOf = methodsOfPaths(options);
  const { app, ...errors } = await createServer({ ...options, timeouts, methodsOf });
  addProbes(app, availability);
  addReference(app, openApiParts({ ...options, operations }));
  addOperations(app, { ...options, ...errors, timeouts });
  await addV1(app, v1, availability);
  return app;
}

/** The methods of every path of the interface. */
function methodsOfPaths(options: InterfaceOptions): ServerOptions['methodsOf'] {
  const pages: ReadonlySet<string> = new Set([...probePaths, ...referencePaths]);
  const [ofOperations, ofV1] = [methodsOfOperations(options.pathId), methodsOfV1()];
  return (path) => (pages.has(path) ? 'GET, HEAD' : (ofOperations(path) ?? ofV1(path)));
}
