/** Environment variables as the operator set them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's text; an empty one counts as not set. */
export function text(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

/**
 * The variables of a file as systemd's `EnvironmentFile=` reads it, see systemd.exec(5): lines `NAME=value`, comments
 * that begin with `#` or `;`, values in single or double quotes, and lines that a backslash continues. A line without
 * `=`, or with an impossible name, is left out.
 */
export function parseEnvironmentFile(text: string): Environment {
  const found: Record<string, string> = {};
  const joined = text.replaceAll(/\r\n?/g, '\n').replaceAll(/^[ \t]*[#;].*$/gm, '');
  const assignment = /^[ \t]*([A-Za-z_]\w*)=[ \t]*((?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\\\n'"])*)/gm;
  for (const [, name = '', value = ''] of joined.matchAll(assignment))
    found[name] = unquoted(value.trimEnd());
  return found;
}

function unquoted(value: string): string {
  return value.replaceAll(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, escaped?: string) => {
      if (single !== undefined) return single;
      if (double !== undefined)
        return double.replaceAll(/\\(["\\`$\n])/g, (_all, mark) => (mark === '\n' ? '' : mark));
      return escaped === '\n' || escaped === undefined ? '' : escaped;
    },
  );
}
