-- Reports of visitors that companies get by mail.

-- A report. Its stores are those of the shop group, or those of mail_report_store if it is limited, otherwise all of the
-- company. Periods that were due before `since` are not reported.
create table mail_report (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  name text not null check (length(name) between 1 and 200),
  period text not null check (period in ('daily', 'weekly', 'monthly')),
  recipients text[] not null check (cardinality(recipients) between 1 and 20),
  language text not null check (language in ('en', 'de', 'es', 'sl')),
  shop_group_id integer references shop_group,
  limited boolean not null default false,
  enabled boolean not null default true,
  since timestamptz not null default now(),
  unique (company_id, name),
  check (not limited or shop_group_id is null)
);
create table mail_report_store (
  mail_report_id integer not null references mail_report on delete cascade,
  store_id integer not null references store,
  primary key (mail_report_id, store_id)
);

-- A mail of a report about the business days from first_date to last_date. Version 1 is the report, later ones correct it;
-- all of them count what happened before counted_until. remaining are the recipients for whom no mail server has accepted
-- it yet.
-- What was sent: the visitors of each store by its id, and from when on they were counted. digest is what the projection
-- then had of these stores; seen_digest is what it had at seen_at, after the last change.
create table report_mail (
  id uuid primary key default gen_random_uuid(),
  mail_report_id integer not null references mail_report on delete cascade,
  first_date date not null,
  last_date date not null,
  version integer not null default 1,
  counted_until timestamptz not null,
  remaining text[] not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  delivered_at timestamptz,
  given_up_at timestamptz,
  last_problem text,
  visitors json,
  counted_from timestamptz,
  digest text,
  seen_digest text,
  seen_at timestamptz,
  unique (mail_report_id, first_date, last_date, version)
);
create index report_mail_due on report_mail (next_attempt_at) where delivered_at is null and given_up_at is null;
create index report_mail_by_time on report_mail (counted_until);
