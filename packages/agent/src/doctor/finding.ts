export interface Finding {
  readonly what: string;
  /** `warn` does not prevent the unit from counting and delivering. */
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it, if the verdict is not `ok`. */
  readonly advice?: string;
}

export function ok(what: string, detail: string): Finding {
  return { what, verdict: 'ok', detail };
}

export function warn(what: string, detail: string, advice: string): Finding {
  return { what, verdict: 'warn', detail, advice };
}

export function fail(what: string, detail: string, advice: string): Finding {
  return { what, verdict: 'fail', detail, advice };
}
