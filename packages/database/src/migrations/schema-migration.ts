/** One change of the schema. docs/releases.md says what it may contain. */
export interface SchemaMigration {
  /** Begins with its time: migrations are applied in the order of their names. */
  readonly name: string;
  /** Its SQL: the texts of its files, in their order. */
  readonly parts: () => Promise<readonly string[]>;
  /**
   * Of a migration that contracts: the oldest release whose programs can serve with the new schema. Without it, all
   * programs that could serve before still can.
   */
  readonly servesFrom?: string;
  /**
   * For `create index concurrently`, which cannot run in a transaction. Each part is one statement, which has no effect
   * if it is repeated.
   */
  readonly concurrently?: true;
}
