/** Environment variables as the operator set them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's text; an empty one counts as not set. */
export function text(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}
