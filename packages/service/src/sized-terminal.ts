/** The properties of a terminal that a program draws on. */
type Terminal = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * The same terminal, with 80 columns and 24 rows if it does not report its size: a serial console reports 0
 * for both, and nothing can be drawn in 0 rows. The size is read at each access, so a resize takes effect.
 */
export function sizedTerminal<T extends Terminal>(terminal: T): T {
  return Object.create(terminal, {
    columns: { get: () => terminal.columns || 80 },
    rows: { get: () => terminal.rows || 24 },
    write: { value: terminal.write.bind(terminal) },
  });
}
