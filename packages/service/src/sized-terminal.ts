/** The properties of a terminal that a program draws on. */
type Terminal = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * The same terminal, 80 columns and 24 rows large where it does not tell its size: a serial console says 0 of both, and
 * what is fitted into no rows is not drawn at all. The size is read at each look, so a resize is seen.
 */
export function sizedTerminal<T extends Terminal>(terminal: T): T {
  return Object.create(terminal, {
    columns: { get: () => terminal.columns || 80 },
    rows: { get: () => terminal.rows || 24 },
    write: { value: terminal.write.bind(terminal) },
  });
}
