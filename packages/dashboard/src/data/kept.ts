import * as v from 'valibot';

/* The last answers, kept in this browser until the user signs out: the page shows them, as old, until it has new ones. */

const prefix = 'kept ';

export interface Kept<Value> {
  /** When it was answered (epoch ms). */
  readonly at: number;
  readonly value: Value;
}

/** Does nothing where the browser has no room for it. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify({ at: Date.now(), value }));
  } catch {
    localStorage.removeItem(prefix + name);
  }
}

/** What was kept under a name, if it has the shape that the page expects now. */
export function kept<Schema extends v.GenericSchema>(
  name: string,
  schema: Schema,
): Kept<v.InferOutput<Schema>> | undefined {
  const stored = v.safeParse(Stored, parsed(localStorage.getItem(prefix + name)));
  if (!stored.success) return undefined;
  const value = v.safeParse(schema, stored.output.value);
  return value.success ? { at: stored.output.at, value: value.output } : undefined;
}

/** Forgets everything of the user who was signed in. */
export function forget(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
}

const Stored = v.object({ at: v.number(), value: v.unknown() });

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
