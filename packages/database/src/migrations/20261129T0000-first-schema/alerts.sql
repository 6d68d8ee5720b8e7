-- Of which conditions companies want to be notified, where, and what was sent; and the conditions whose beginning must be
-- stored. Their instants are from the server's clock, because the clock of a unit may be wrong.

-- A rule of a company for one kind of alert. threshold is the limit of kinds that have one of their own: for disk-low
-- `500MB` or `10%`, for version-old the oldest version that is not too old.
create table alert_rule (
  company_id integer not null references company,
  kind text not null,
  after_seconds integer not null check (after_seconds >= 0),
  threshold text,
  enabled boolean not null default true,
  primary key (company_id, kind)
);

-- Where a company is notified: at a mail address, or at a webhook. sealed is the webhook, {"url", "secret"} as JSON,
-- encrypted with a key that is not in the database: the URL of a webhook may contain a password, and secret signs the
-- messages, so it must be known in plain text where they are sent. language is that of the messages.
create table alert_target (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  label text not null,
  kind text not null check (kind in ('webhook', 'mail')),
  address text,
  sealed bytea,
  language text not null default 'en' check (language in ('en', 'de', 'es', 'sl')),
  enabled boolean not null default true,
  unique (company_id, label),
  check ((kind = 'mail') = (address is not null) and (kind = 'webhook') = (sealed is not null))
);

-- An alert. began_at is the instant from which the rule applied.
create table alert (
  id uuid primary key default gen_random_uuid(),
  company_id integer not null references company,
  kind text not null,
  subject text not null,
  store_id integer references store on delete cascade,
  device_id integer references device on delete cascade,
  about json not null,
  began_at timestamptz not null,
  raised_at timestamptz not null default now(),
  cleared_at timestamptz
);
-- One incident is one alert, even if several processes find it.
create unique index alert_open on alert (company_id, kind, subject) where cleared_at is null;
create index alert_by_time on alert (company_id, raised_at);
create index alert_by_end on alert (company_id, cleared_at);

-- Reports of visitors that companies get by mail.

-- A report. Its stores are those of the shop group, or those of store_ids, otherwise all of the company. It is sent at
-- send_hour, or when the last of them has closed. Periods that were due before `since` are not reported.
create table mail_report (
  id integer generated always as identity primary key,
  company_id integer not null references company,
  name text not null check (length(name) between 1 and 200),
  period text not null check (period in ('daily', 'weekly', 'monthly')),
  recipients text[] not null check (cardinality(recipients) between 1 and 20),
  language text not null check (language in ('en', 'de', 'es', 'sl')),
  send_hour integer check (send_hour between 0 and 23),
  shop_group_id integer references shop_group,
  store_ids integer[],
  enabled boolean not null default true,
  since timestamptz not null default now(),
  unique (company_id, name),
  check (store_ids is null or shop_group_id is null)
);

-- Everything that is sent: a message about the beginning or the end of an alert to one target, or a mail of a report. A message
-- is due at next_attempt_at, until it is delivered or given up.
--
-- A mail of a report is about the business days from first_date to last_date, and counts what happened before counted_until. One
-- that was incomplete is sent once more, when it is complete, to those who have received it incomplete; a test goes to one
-- address, test_to. sent_to are the recipients for whom a mail server has accepted it, incomplete_to those of them who have
-- received it incomplete.
create table outbox (
  id uuid primary key default gen_random_uuid(),
  channel text not null check (channel in ('webhook', 'mail', 'report')),
  kind text not null check (kind in ('raised', 'cleared', 'report', 'completed', 'test')),
  alert_id uuid references alert on delete cascade,
  target_id integer references alert_target on delete cascade,
  mail_report_id integer references mail_report on delete cascade,
  first_date date,
  last_date date,
  counted_until timestamptz,
  test_to text,
  sent_to text[] not null default '{}',
  incomplete_to text[] not null default '{}',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  delivered_at timestamptz,
  given_up_at timestamptz,
  last_problem text,
  unique (alert_id, target_id, kind),
  unique (mail_report_id, first_date, last_date, kind),
  check (case channel
    when 'report' then num_nulls(mail_report_id, first_date, last_date, counted_until) = 0
    else num_nulls(alert_id, target_id) = 0
  end),
  check ((kind = 'test') = (test_to is not null))
);
create index outbox_due on outbox (channel, next_attempt_at) where delivered_at is null and given_up_at is null;
create index outbox_by_target on outbox (target_id);
create index outbox_by_time on outbox (counted_until) where channel = 'report';
