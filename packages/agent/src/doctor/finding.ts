import type { Finding } from '@visitor-counter/wire/diagnosis-message';

export function ok(what: string, detail: string): Finding {
  return { what, verdict: 'ok', detail };
}

export function warn(what: string, detail: string, advice: string): Finding {
  return { what, verdict: 'warn', detail, advice };
}

export function fail(what: string, detail: string, advice: string): Finding {
  return { what, verdict: 'fail', detail, advice };
}
