-- What the roles of a database may do: migrate owns it, serve changes rows, read reads. Run by migrate, whose later tables, also
-- those of a restore, have the same rights. The names are variables of psql.

revoke all on database :"database" from public;
grant connect on database :"database" to :"serve", :"read";
grant usage on schema public to :"serve", :"read";
grant select, insert, update, delete on all tables in schema public to :"serve";
grant select, usage on all sequences in schema public to :"serve";
grant select on all tables in schema public to :"read";
grant select on all sequences in schema public to :"read";
alter default privileges grant usage on schemas to :"serve", :"read";
alter default privileges grant select, insert, update, delete on tables to :"serve";
alter default privileges grant select, usage on sequences to :"serve";
alter default privileges grant select on tables to :"read";
alter default privileges grant select on sequences to :"read";
