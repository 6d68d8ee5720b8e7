import { type Kysely, sql } from 'kysely';

/** Whether stores count the wrong way round, and since when devices are suspected of it. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* \`score\`: what the business days before \`day_start\` have shown. */
  `create table store_direction (
     store_id integer primary key references store,
     day_start timestamptz not null,
     score integer not null
   )`,
  `create table doubtful_direction (
     device_id integer primary key references device,
     since timestamptz not null
   )`,
];
