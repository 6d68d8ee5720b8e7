const shortest = 16;
const fewestDifferent = 6;

/** The property that a chosen secret lacks, so that it is easy to guess; undefined if it lacks none. */
export function weaknessOf(secret: string): string | undefined {
  if (secret.length < shortest) return `at least ${shortest} characters`;
  if (new Set(secret).size < fewestDifferent) return `at least ${fewestDifferent} different characters`;
  return undefined;
}
