import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { GeneratedInstant } from './columns.ts';

export interface CompanyTables {
  company: CompanyTable;
  store: StoreTable;
  store_version: { singleton: Generated<boolean>; version: string };
  shop_group: ShopGroupTable;
  shop_group_store: { shop_group_id: number; store_id: number };
}

interface CompanyTable {
  id: GeneratedAlways<number>;
  name: string;
  name_key: string;
  created_at: GeneratedInstant;
}

interface StoreTable {
  id: GeneratedAlways<number>;
  company_id: number;
  sid: string;
  name: string;
  address: Generated<string>;
  city: Generated<string>;
  time_zone: string;
  day_starts_at: Generated<string>;
  /** How many people may be inside at the same time. */
  capacity: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: GeneratedInstant;
}

interface ShopGroupTable {
  id: GeneratedAlways<number>;
  company_id: number;
  name: string;
  name_key: string;
}
