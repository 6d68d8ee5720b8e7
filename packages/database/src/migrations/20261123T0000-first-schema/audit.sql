-- What operators and staff have changed, and which units have enrolled.

-- One change, written in the same transaction. An entry has names instead of references, so it still says the same when
-- something is renamed. credential is the label of the credential that staff used. details never has a secret.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  author_kind text not null check (author_kind in ('operator', 'staff', 'unit')),
  author text not null,
  credential text,
  origin text not null,
  action text not null,
  company text,
  subject_kind text not null,
  subject text not null,
  details json not null
);
create index audit_entry_by_time on audit_entry (at);
create index audit_entry_by_subject on audit_entry (lower(subject));

create trigger append_only before update or delete or truncate on audit_entry
  for each statement execute function refuse_change();
