-- Who may call the HTTP interface.

-- hash is the SHA-256 of the credential, which is shown once and stored nowhere. A limited credential opens the stores
-- of credential_store, and no store if there are none; another one opens all stores of its company. may_configure: its
-- staff may change settings on the page.
create table credential (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  kind text not null check (kind in ('counts', 'life-signal', 'staff', 'sales')),
  label text not null,
  hash bytea not null unique check (length(hash) = 32),
  limited boolean not null default false,
  may_configure boolean not null default false check (kind = 'staff' or not may_configure),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  unique (company_id, kind, label)
);
create table credential_store (
  credential_id integer not null references credential on delete cascade,
  store_id integer not null references store on delete cascade,
  primary key (credential_id, store_id)
);

-- A session of a page. hash is the SHA-256 of the content of its cookie, which is stored nowhere.
create table session (
  hash bytea primary key check (length(hash) = 32),
  credential_id integer not null references credential on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_of_credential on session (credential_id, created_at);
