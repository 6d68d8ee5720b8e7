import Type, { type Static } from 'typebox';

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const text = Type.String({ maxLength: 1_000 });

/** What a backup contains, and by what it is checked. It is the last entry of the file. */
export const manifestSchema = Type.Object({
  /** The version of this format. */
  format: Type.Literal(1),
  /** The version of the product that wrote it. */
  product: text,
  /** When the snapshot began (RFC 3339). */
  createdAt: text,
  /** The version of the PostgreSQL server. */
  server: text,
  installation: text,
  /** The migrations that were applied: the version of the schema. */
  migrations: Type.Array(text),
  tables: Type.Array(Type.Object({ name: text, columns: Type.Array(text), rows: count })),
  /** The positions of the numbers that identity columns issue. */
  positions: Type.Array(
    Type.Object({
      table: text,
      column: text,
      last: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
      isIssued: Type.Boolean(),
    }),
  ),
  /** The entries before the manifest, in their order. */
  parts: Type.Array(Type.Object({ name: text, bytes: count, sha256 })),
});

export type Manifest = Static<typeof manifestSchema>;

/** The entry with the manifest. */
export const manifestName = 'manifest.json';

/** The length of the last line of the file (bytes): the SHA-256 of everything before it, and a line feed. */
export const sealBytes = 65;

/** The name of the entry with a part of a table's rows: lines of COPY's text format, compressed with zstd. */
export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.zst`;
}

/** The table of an entry; undefined for an entry that is not a part of one. */
export function tableOfPart(name: string): string | undefined {
  return /^tables\/(.+)\/\d{6,}\.zst$/.exec(name)?.[1];
}
