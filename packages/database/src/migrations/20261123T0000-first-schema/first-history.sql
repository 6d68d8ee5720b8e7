-- The tables exist, so their first history begins.
insert into history (origin, after_transaction) values (history_origin(), 0);
