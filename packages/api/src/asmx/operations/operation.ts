import type { Static } from 'typebox';
import type { RecordDescription } from '../../formats/records.ts';
import type { Batch } from '../../formats/write-records.ts';
import type { Submission } from '../../http/request-body.ts';
import { type Input, type Parameters, readParameters } from '../parameters/parameters.ts';

/** One call of an operation, as it was received. */
export interface Call {
  /** The parameters in the body of the request. */
  readonly submission: Submission;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The IP address of the caller. */
  readonly address: string;
  /** Aborted when the caller has disconnected; then the answer stops waiting. */
  readonly signal: AbortSignal;
}

/**
 * An operation of the interface: it yields records, and a format writes them. Its calls are
 * validated by its description, from which OpenAPI and WSDL are made as well.
 *
 * Records have the document's fields in the document's order. They come in batches, some of them empty, so
 * that an answer begins before the last record is known. Errors of the caller are thrown as a Problem
 * before the first batch. A consumer that stops reading early must close the iterator (`return`), which returns
 * the database connection.
 */
export interface Operation extends OperationDescription {
  answer(call: Call): AsyncGenerator<Batch, void>;
}

export interface OperationDescription<Fields extends Input = Input> {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly description: string;
  /** The parameters in the order of the document, `Token` among them where it is the credential. */
  readonly input: Fields;
  readonly record: RecordDescription;
  /** The kind of its credential: `counts` is the parameter Token, `life-signal` the header Authorization. */
  readonly credential: 'counts' | 'life-signal';
}

/** A call whose parameters are read but not yet validated. */
export interface ReadCall<Values> extends Omit<Call, 'submission'> {
  readonly parameters: Parameters<Values>;
}

interface Behaviour<Values> {
  answer(call: ReadCall<Values>): AsyncGenerator<Batch, void>;
}

/** Creates an operation whose parameters are read by its `input`, in every format of a body. */
export function operation<Fields extends Input>(
  description: OperationDescription<Fields>,
  { answer }: Behaviour<Static<Fields>>,
): Operation {
  return {
    ...description,
    async *answer({ submission, ...rest }) {
      yield* answer({ ...rest, parameters: readParameters(submission, description.input) });
    },
  };
}
