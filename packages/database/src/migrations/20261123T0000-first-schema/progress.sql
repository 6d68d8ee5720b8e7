-- When the projection had got how far, every ten seconds of work; for `admin trace`. Transactions with a number below
-- applied_before were in it at `at`; transactions from begun_before on had not begun to write. Old rows are deleted.
create table projection_progress (
  at timestamptz primary key default clock_timestamp(),
  applied_before bigint not null,
  begun_before bigint not null
);
create index projection_progress_by_applied on projection_progress (applied_before);
create index projection_progress_by_begun on projection_progress (begun_before);
